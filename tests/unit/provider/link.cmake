# SPDX-License-Identifier: Apache-2.0
# A test takes in the source it is about, as a driver is compiled, and plays the kernel itself.
if(NOT NDKSIM_CORE_ONLY)
  if(NOT TARGET unit_provider)
    add_library(unit_provider INTERFACE)
    target_include_directories(unit_provider INTERFACE "${CMAKE_SOURCE_DIR}/ndkpi-model/provider")
    target_compile_options(unit_provider INTERFACE -fshort-wchar -Wno-multichar)
  endif()
  set(UNIT_LINK unit_provider model_wdk fabric_rnic_hw fabric_wire)
endif()
