# SPDX-License-Identifier: Apache-2.0
# ndksim_add_driver(name SOURCES ... [CONSUMER | PROVIDER | DEVICE] [INCLUDE dirs...] [DEFINES ...]
#                   [KIND kind] [INSTRUMENT] [LINK interface targets...])
#
# A driver module: what a Windows developer builds as a .sys. It sees the wdk headers, hides every
# symbol but DriverEntry, binds at load time and resolves against the program's exports. Calls into
# the kernel are real calls, never jumps, so that the kernel sees whose code called.
#
#   CONSUMER     the wdk headers only; so it is when no role is given
#   PROVIDER     <rnic_hw/rnic.h> besides: registers and rings of the built-in device
#   DEVICE       no driver but a model of a device: <sim/bus.h>, and the host's own C headers
#   KIND         debug, coverage or asan; else the build type's. NDKSIM_DRIVER_KIND is the default
#   INSTRUMENT   loads and stores are schedule points, and data races are found
#
# In the installed package, sources are prepared as `ndksim build-driver` does: includes in any case
# and with backslashes, trace macros, guarded blocks, warnings about widths; again whenever a source
# or header of theirs has changed. The module then goes where the project builds.
include_guard(GLOBAL)

# How every driver is compiled, by this function and by `ndksim build-driver`.
set(NDKSIM_DRIVER_FLAGS -fshort-wchar -Wno-multichar -g -fno-optimize-sibling-calls)
# ... as `ndksim build-driver` does when no kind is asked for.
set(NDKSIM_DRIVER_OPTIMISED -O2)
# Loads and stores call the program (krn/race.h); nothing of a run-time is linked.
set(NDKSIM_DRIVER_INSTRUMENT -fsanitize=thread -Dmemcpy=NdksimTouchCopy -Dmemmove=NdksimTouchMove
    -Dmemset=NdksimTouchFill)
set(NDKSIM_DRIVER_INSTRUMENT_GCC ${NDKSIM_DRIVER_INSTRUMENT}
    --param=tsan-instrument-func-entry-exit=0 --param=tsan-distinguish-volatile=1)
set(NDKSIM_DRIVER_INSTRUMENT_CLANG ${NDKSIM_DRIVER_INSTRUMENT}
    -mllvm -tsan-instrument-func-entry-exit=0 -mllvm -tsan-distinguish-volatile=1)

# Sources that ndksim prepares before they are compiled: what it writes stands in front of what the
# sources include.
function(ndksim_prepare_driver name)
  cmake_parse_arguments(ARG "" "" "SOURCES;INCLUDE;DEFINES" ${ARGN})
  set(dir "${CMAKE_CURRENT_BINARY_DIR}/${name}.prepared")
  set(words --quiet --prepare "${dir}")
  foreach(one IN LISTS ARG_INCLUDE)
    get_filename_component(one "${one}" ABSOLUTE)
    list(APPEND words -I "${one}")
  endforeach()
  list(TRANSFORM ARG_DEFINES PREPEND "-D" OUTPUT_VARIABLE defines)
  foreach(one IN LISTS ARG_SOURCES)
    get_filename_component(one "${one}" ABSOLUTE)
    list(APPEND sources "${one}")
  endforeach()
  set(depfile "")
  if(CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
    set(depfile DEPFILE "${dir}/prepared.d")
  endif()
  add_custom_command(OUTPUT "${dir}/prepared"
    COMMAND ndksim::ndksim build-driver ${words} ${defines} ${sources}
    DEPENDS ${sources} ndksim::ndksim ${depfile}
    COMMENT "Preparing the sources of ${name}" VERBATIM)
  add_custom_target(${name}_prepared DEPENDS "${dir}/prepared")
  add_dependencies(${name} ${name}_prepared)
  target_compile_options(${name} BEFORE PRIVATE "-iquote${dir}/forward/up/up/up/up"
    "SHELL:-include \"${dir}/ndksim_prepared.h\"")
  target_include_directories(${name} BEFORE PRIVATE "${dir}/forward/up/up/up/up")
  # Guarded blocks are compiled without optimisation (wdm/exception.h); that comes last.
  foreach(source IN LISTS sources)
    string(REGEX REPLACE "[^A-Za-z0-9]" "_" key "${source}")
    string(LENGTH "${key}" length)
    if(length GREATER 200)
      math(EXPR length "${length} - 200")
      string(SUBSTRING "${key}" ${length} -1 key)
    endif()
    set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS
      "@$<TARGET_PROPERTY:NDKSIM_PREPARED>/${key}.options")
  endforeach()
  set_target_properties(${name} PROPERTIES NDKSIM_PREPARED "${dir}")
endfunction()

# The project's own drivers are built before the program is.
function(ndksim_guard_driver)
  foreach(source IN LISTS ARGN)
    get_filename_component(path "${source}" ABSOLUTE)
    if(EXISTS "${path}")
      file(STRINGS "${path}" guarded REGEX "__try" LIMIT_COUNT 1)
      if(guarded)
        set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS -O0)
      endif()
    endif()
  endforeach()
endfunction()

# Flags of a kind, as scenarios/build/kinds.c has them.
function(ndksim_driver_kind name kind)
  if(kind STREQUAL "debug")
    target_compile_options(${name} PRIVATE -O0)
  elseif(kind STREQUAL "asan")
    # The run-time is the program's.
    target_compile_options(${name} PRIVATE -O1 -fsanitize=address,undefined
      -fno-sanitize-recover=undefined)
  elseif(kind STREQUAL "coverage")
    set(door "${CMAKE_CURRENT_BINARY_DIR}/${name}.door.c")
    file(CONFIGURE OUTPUT "${door}" CONTENT "#include <ndksim_coverage.h>\n")
    target_sources(${name} PRIVATE "${door}")
    if(CMAKE_C_COMPILER_ID MATCHES "Clang")
      set(profile "-fprofile-instr-generate=${CMAKE_CURRENT_BINARY_DIR}/${name}-%m.profraw")
      target_compile_options(${name} PRIVATE -O0 -fcoverage-mapping "${profile}")
      target_link_options(${name} PRIVATE "${profile}")
    else()
      target_compile_options(${name} PRIVATE -O0 --coverage)
      target_link_options(${name} PRIVATE --coverage)
    endif()
  elseif(kind AND NOT kind STREQUAL "optimised")
    message(FATAL_ERROR "ndksim_add_driver(${name}): there is no kind \"${kind}\": "
      "optimised, debug, coverage, asan")
  endif()
endfunction()

function(ndksim_add_driver name)
  cmake_parse_arguments(ARG "CONSUMER;PROVIDER;DEVICE;INSTRUMENT" "KIND"
    "SOURCES;INCLUDE;DEFINES;LINK" ${ARGN})
  set(roles ${ARG_CONSUMER} ${ARG_PROVIDER} ${ARG_DEVICE})
  list(FILTER roles INCLUDE REGEX "TRUE")
  list(LENGTH roles role_count)
  if(role_count GREATER 1)
    message(FATAL_ERROR "ndksim_add_driver(${name}): CONSUMER, PROVIDER or DEVICE, one of them")
  endif()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ndksim_add_driver(${name}): ${ARG_UNPARSED_ARGUMENTS}: unknown")
  endif()
  add_library(${name} MODULE ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES
    PREFIX "" OUTPUT_NAME "${name}" SUFFIX ".so"
    C_EXTENSIONS ON C_VISIBILITY_PRESET hidden)
  if(NDKSIM_DRIVER_DIR)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${NDKSIM_DRIVER_DIR}")
  endif()
  target_include_directories(${name} PRIVATE ${ARG_INCLUDE})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINES})
  target_link_libraries(${name} PRIVATE ndksim_flags ${ARG_LINK})
  if(ARG_DEVICE)
    target_compile_options(${name} PRIVATE -g -fno-optimize-sibling-calls)
    if(TARGET ndksim::device)
      target_link_libraries(${name} PRIVATE ndksim::device)
    endif()
  else()
    target_compile_options(${name} PRIVATE ${NDKSIM_DRIVER_FLAGS})
    target_link_libraries(${name} PRIVATE model_wdk_crt)
    if(ARG_PROVIDER AND TARGET ndksim::rnic)
      target_link_libraries(${name} PRIVATE ndksim::rnic)
    endif()
    if(TARGET ndksim::ndksim)
      ndksim_prepare_driver(${name} SOURCES ${ARG_SOURCES} INCLUDE ${ARG_INCLUDE}
        DEFINES ${ARG_DEFINES})
    else()
      ndksim_guard_driver(${ARG_SOURCES})
    endif()
  endif()
  if(NOT ARG_KIND)
    set(ARG_KIND "${NDKSIM_DRIVER_KIND}")
  endif()
  ndksim_driver_kind(${name} "${ARG_KIND}")
  if(ARG_INSTRUMENT AND CMAKE_C_COMPILER_ID MATCHES "Clang")
    set(flags ${NDKSIM_DRIVER_INSTRUMENT_CLANG})
  elseif(ARG_INSTRUMENT)
    set(flags ${NDKSIM_DRIVER_INSTRUMENT_GCC})
  endif()
  list(JOIN flags " " words)
  if(ARG_INSTRUMENT AND NDKSIM_SANITIZE)
    # The two exclude each other; options of sources come last.
    set_property(SOURCE ${ARG_SOURCES} APPEND PROPERTY COMPILE_OPTIONS
      -fno-sanitize=address,undefined ${flags})
  elseif(ARG_INSTRUMENT)
    target_compile_options(${name} PRIVATE "SHELL:${words}")
  endif()
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

# ndksim_add_driver_library(name SOURCES ... [INCLUDE dirs...])
#
# What many of the project's own drivers share, compiled once: a static library for their LINK.
function(ndksim_add_driver_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;INCLUDE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES
    POSITION_INDEPENDENT_CODE ON C_EXTENSIONS ON C_VISIBILITY_PRESET hidden)
  target_include_directories(${name} PUBLIC ${ARG_INCLUDE})
  target_link_libraries(${name} PRIVATE ndksim_flags model_wdk_crt)
  target_compile_options(${name} PRIVATE ${NDKSIM_DRIVER_FLAGS})
  ndksim_guard_driver(${ARG_SOURCES})
  ndksim_driver_kind(${name} "${NDKSIM_DRIVER_KIND}")
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
