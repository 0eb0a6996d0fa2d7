# SPDX-License-Identifier: Apache-2.0
if(NOT NDKSIM_CORE_ONLY)
  set(UNIT_LINK sim sim_private sim_host)
endif()
