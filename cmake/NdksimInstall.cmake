# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` gives: the program with its man page, the shipped drivers, the headers that
# drivers and device models see, a CMake package that builds drivers against them, schema and
# library of scenarios.
include_guard(GLOBAL)
include(CMakePackageConfigHelpers)

# The sanitised program is installed beside a plain one, which becomes it for sanitised modules: of
# this build, nothing else is.
if(NDKSIM_SANITIZE AND TARGET ndksim)
  install(PROGRAMS "$<TARGET_FILE:ndksim>" DESTINATION "${CMAKE_INSTALL_BINDIR}"
    RENAME ndksim-asan)
  return()
endif()

set(data_dir "${CMAKE_INSTALL_DATADIR}/ndksim")
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ndksim")
# The program looks for it at ../lib from its own place, so it is no matter of CMAKE_INSTALL_LIBDIR.
set(driver_dir "lib/ndksim/drivers")

if(TARGET ndksim)
  install(TARGETS ndksim RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  get_property(drivers GLOBAL PROPERTY NDKSIM_SHIPPED_DRIVERS)
  install(TARGETS ${drivers} LIBRARY DESTINATION "${driver_dir}")

  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(man_page "${PROJECT_BINARY_DIR}/ndksim.1")
  add_custom_command(OUTPUT "${man_page}"
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/cmake/man_page.py"
            "$<TARGET_FILE:ndksim>" "${man_page}"
    DEPENDS ndksim "${PROJECT_SOURCE_DIR}/cmake/man_page.py")
  add_custom_target(man_page ALL DEPENDS "${man_page}")
  install(FILES "${man_page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endif()

install(DIRECTORY "${PROJECT_SOURCE_DIR}/ndkpi-model/include/wdk"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ndksim" FILES_MATCHING PATTERN "*.h")
# What <device/device.h> includes: a module of somebody's own hardware needs no more.
foreach(header IN ITEMS
    sim/include/sim/base.h sim/include/sim/bus.h sim/include/sim/choice.h sim/include/sim/event.h
    sim/include/sim/fault.h sim/include/sim/machine.h sim/include/sim/memory.h
    sim/include/sim/object.h sim/include/sim/trace.h
    fabric/net/include/net/frame.h fabric/net/include/net/names.h fabric/net/include/net/port.h
    fabric/net/include/net/topology.h
    fabric/device/include/device/device.h)
  get_filename_component(folder "${header}" DIRECTORY)
  get_filename_component(folder "${folder}" NAME)
  install(FILES "${PROJECT_SOURCE_DIR}/${header}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ndksim/${folder}")
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/fabric/wire/include/wire"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ndksim" FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_SOURCE_DIR}/fabric/rnic/hw/include/rnic_hw/rnic.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ndksim/rnic_hw")

install(FILES "${PROJECT_SOURCE_DIR}/scenarios/schema.json" DESTINATION "${data_dir}")
# For users: is the layout of their kit the one that these headers have?
install(FILES "${PROJECT_SOURCE_DIR}/ndkpi-model/layout/layout-check.c" DESTINATION "share/ndksim")
# Its faulty driver is a shipped one with a bug planted, built for the tests only.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenarios/library" DESTINATION "${data_dir}"
  FILES_MATCHING PATTERN "*.json" PATTERN "s17-faulty.json" EXCLUDE)
# The cases of `ndksim conform`, the scenarios of `ndksim list statuses`. The program looks for them
# at ../share/ndksim from its own place.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenarios/conform"
  "${PROJECT_SOURCE_DIR}/scenarios/statuses" DESTINATION "share/ndksim"
  FILES_MATCHING PATTERN "*.json")
# What `--gdb` loads.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenarios/debugger" DESTINATION "share/ndksim"
  FILES_MATCHING PATTERN "*.py")
# What `ndksim init` copies.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenarios/templates" DESTINATION "share/ndksim")
file(GLOB rule_cases CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/tests/rules"
  "${PROJECT_SOURCE_DIR}/tests/rules/R-*/*.json" "${PROJECT_SOURCE_DIR}/tests/rules/base/*.json")
file(GLOB rule_drivers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/tests/rules/drivers"
  "${PROJECT_SOURCE_DIR}/tests/rules/drivers/*.c")
list(TRANSFORM rule_drivers REPLACE "(.*)[.]c$" "\"\\1\"")
list(JOIN rule_drivers "|" rule_drivers)
set(cases_left_out)
set(rule_case_count 0)
# What names a driver that was built for the tests only would find none; nor would what extends it.
while(NOT rule_case_count EQUAL "${cases_left}")
  list(LENGTH rule_cases rule_case_count)
  foreach(rule_case IN LISTS rule_cases)
    file(READ "${PROJECT_SOURCE_DIR}/tests/rules/${rule_case}" text)
    get_filename_component(folder "${rule_case}" DIRECTORY)
    string(REGEX MATCH "\"extends\": *\"([^\"]*)\"" extends "${text}")
    cmake_path(SET extended NORMALIZE "${folder}/${CMAKE_MATCH_1}")
    if(text MATCHES "\"breaks-" OR (rule_drivers AND text MATCHES "${rule_drivers}") OR
       (extends AND extended IN_LIST cases_left_out))
      list(APPEND cases_left_out "${rule_case}")
      list(REMOVE_ITEM rule_cases "${rule_case}")
    endif()
  endforeach()
  list(LENGTH rule_cases cases_left)
endwhile()
foreach(rule_case IN LISTS rule_cases)
  get_filename_component(rule "${rule_case}" DIRECTORY)
  install(FILES "${PROJECT_SOURCE_DIR}/tests/rules/${rule_case}"
    DESTINATION "share/ndksim/rules/${rule}")
endforeach()
# Beside these cases lies in a prefix what lies in scenarios/ here.
install(CODE "
  file(GLOB cases
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/ndksim/rules/*/*.json\")
  foreach(case IN LISTS cases)
    file(READ \"\${case}\" text)
    string(REPLACE \"../../../scenarios/\" \"../../\" text \"\${text}\")
    file(WRITE \"\${case}\" \"\${text}\")
  endforeach()")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/ndksimConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/ndksimConfig.cmake" INSTALL_DESTINATION "${package_dir}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ndksimConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/ndksimConfig.cmake"
  "${PROJECT_BINARY_DIR}/ndksimConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/NdksimDriver.cmake"
  DESTINATION "${package_dir}")
