# SPDX-License-Identifier: Apache-2.0
# ndksim_add_driver(name SOURCES ... [INCLUDE dirs...] [DEFINES ...] [LINK interface targets...])
#
# A driver module: what a Windows developer builds as a .sys. It sees the wdk headers only, hides
# every symbol but DriverEntry, binds at load time and resolves against the program's exports. Calls
# into the kernel are real calls, never jumps, so that the kernel sees whose code called.
# Part of the installed package too: then the module goes where the project builds.
include_guard(GLOBAL)

# How every driver is compiled, by this function and by `ndksim build-driver`.
set(NDKSIM_DRIVER_FLAGS -fshort-wchar -Wno-multichar -g -fno-optimize-sibling-calls)

function(ndksim_add_driver name)
  cmake_parse_arguments(ARG "" "" "SOURCES;INCLUDE;DEFINES;LINK" ${ARGN})
  add_library(${name} MODULE ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES
    PREFIX "" OUTPUT_NAME "${name}" SUFFIX ".so"
    C_EXTENSIONS ON C_VISIBILITY_PRESET hidden)
  if(NDKSIM_DRIVER_DIR)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${NDKSIM_DRIVER_DIR}")
  endif()
  target_include_directories(${name} PRIVATE ${ARG_INCLUDE})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINES})
  target_compile_options(${name} PRIVATE ${NDKSIM_DRIVER_FLAGS})
  target_link_libraries(${name} PRIVATE ndksim_flags model_wdk_crt ${ARG_LINK})
  # Locals of a guarded block must be in memory (wdm/exception.h).
  foreach(source IN LISTS ARG_SOURCES)
    get_filename_component(path "${source}" ABSOLUTE)
    if(EXISTS "${path}")
      file(STRINGS "${path}" guarded REGEX "__try" LIMIT_COUNT 1)
      if(guarded)
        set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS -O0)
      endif()
    endif()
  endforeach()
  if(APPLE)
    target_link_options(${name} PRIVATE -undefined dynamic_lookup)
  else()
    target_link_options(${name} PRIVATE -Wl,-z,now)
  endif()
  # What is built under these two is shipped; tests build drivers that are not.
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "/(consumers|ndkpi-model/provider)(/|$)")
    set_property(GLOBAL APPEND PROPERTY NDKSIM_SHIPPED_DRIVERS ${name})
  endif()
endfunction()

# ndksim_add_scenario_test(name SCENARIO file [DRIVERS targets...] [RUNS n])
#
# A test that runs the scenario from its folder, or fuzzes it n times. Failing runs are kept below
# the build folder. The drivers are what the scenario loads by path.
function(ndksim_add_scenario_test name)
  cmake_parse_arguments(ARG "" "SCENARIO;RUNS" "DRIVERS" ${ARGN})
  get_filename_component(scenario "${ARG_SCENARIO}" ABSOLUTE)
  get_filename_component(folder "${scenario}" DIRECTORY)
  if(NOT EXISTS "${scenario}")
    message(FATAL_ERROR "ndksim_add_scenario_test(${name}): there is no ${scenario}")
  endif()
  if(ARG_RUNS)
    set(act fuzz "${scenario}" --runs ${ARG_RUNS} --out "${CMAKE_CURRENT_BINARY_DIR}/${name}-out")
  else()
    set(act run "${scenario}")
  endif()
  add_test(NAME ${name} COMMAND ndksim::ndksim ${act} WORKING_DIRECTORY "${folder}")
  foreach(driver IN LISTS ARG_DRIVERS)
    if(NOT TARGET ${driver})
      message(FATAL_ERROR "ndksim_add_scenario_test(${name}): there is no driver ${driver}")
    endif()
  endforeach()
endfunction()
