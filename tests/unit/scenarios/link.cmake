# SPDX-License-Identifier: Apache-2.0
if(NOT NDKSIM_CORE_ONLY)
  set(UNIT_LINK scenarios scenarios_private)
  set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/test_mutate.c" PROPERTIES
    COMPILE_DEFINITIONS "NDKSIM_LIBRARY=\"${PROJECT_SOURCE_DIR}/scenarios/library\"")
endif()
