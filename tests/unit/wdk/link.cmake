# SPDX-License-Identifier: Apache-2.0
if(NOT NDKSIM_CORE_ONLY)
  set(UNIT_LINK model_wdk)
  # The dialect of a driver source comes with 16-bit wide characters.
  set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/test_dialect.c" PROPERTIES
    COMPILE_OPTIONS "-fshort-wchar;-Wno-multichar")
endif()
