# SPDX-License-Identifier: Apache-2.0
if(NOT NDKSIM_CORE_ONLY)
  # Tests of drivers find the modules of tests/drivers, and wait for them to be built.
  if(NOT TARGET unit_kernel_support)
    add_library(unit_kernel_support INTERFACE)
    target_compile_options(unit_kernel_support INTERFACE -Wno-multichar)
    target_compile_definitions(unit_kernel_support INTERFACE
      TEST_DRIVER_DIR="${NDKSIM_DRIVER_DIR}")
    file(GLOB unit_kernel_drivers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/drivers/*.c")
    foreach(unit_kernel_driver IN LISTS unit_kernel_drivers)
      get_filename_component(unit_kernel_driver "${unit_kernel_driver}" NAME_WE)
      add_dependencies(unit_kernel_support test_${unit_kernel_driver})
    endforeach()
  endif()
  set(UNIT_LINK model_kernel_exports model_kernel_private sim_host unit_kernel_support)
endif()
