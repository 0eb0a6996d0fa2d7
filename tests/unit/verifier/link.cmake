# SPDX-License-Identifier: Apache-2.0
if(TARGET model_verifier)
  if(NOT TARGET unit_verifier_support)
    add_library(unit_verifier_support STATIC "${CMAKE_CURRENT_LIST_DIR}/fake_provider.c"
      "${CMAKE_CURRENT_LIST_DIR}/fake_control.c" "${CMAKE_CURRENT_LIST_DIR}/fake_data.c"
      "${CMAKE_CURRENT_LIST_DIR}/fixture.c")
    target_link_libraries(unit_verifier_support
      PUBLIC model_verifier model_verifier_private sim_host
      PRIVATE ndksim_host_flags)
    target_include_directories(unit_verifier_support PUBLIC "${CMAKE_CURRENT_LIST_DIR}")
  endif()
  set(UNIT_LINK unit_verifier_support)
endif()
