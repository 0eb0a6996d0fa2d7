# SPDX-License-Identifier: Apache-2.0
if(NOT NDKSIM_CORE_ONLY)
  set(UNIT_LINK scenarios scenarios_private script_program)
endif()
