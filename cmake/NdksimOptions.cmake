# SPDX-License-Identifier: Apache-2.0
# Build options and the warning set that every target of ours links.
include_guard(GLOBAL)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

option(NDKSIM_TESTS "Build the tests" ON)
option(NDKSIM_WERROR "Treat warnings as errors (CI presets)" OFF)
option(NDKSIM_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(NDKSIM_CORE_ONLY "Build only sim (without host) and fabric, for cross builds" OFF)
# Small calls cross the borders of modules at every schedule point; inlined, a run takes two thirds
# of the time. Only the program and the benchmarks are linked so; objects hold both forms, and tests
# link the plain one.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release" AND
   NOT NDKSIM_SANITIZE AND NOT NDKSIM_CORE_ONLY)
  set(lto_default ON)
else()
  set(lto_default OFF)
endif()
option(NDKSIM_LTO "Optimise the program across modules (GCC)" ${lto_default})
set(NDKSIM_REGION_SLOT_GIB 64 CACHE STRING "Size of one memory region slot in GiB")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Modules and tests are run from the build tree; one folder holds every driver module.
set(NDKSIM_DRIVER_DIR "${CMAKE_BINARY_DIR}/drivers")

# Flags for all code of ours, driver modules included.
add_library(ndksim_flags INTERFACE)
target_compile_options(ndksim_flags INTERFACE
  -Wall -Wextra -Wshadow -Wswitch -Wstrict-prototypes -Wmissing-prototypes -Wvla
  -fno-omit-frame-pointer -fno-strict-aliasing -ffp-contract=off
  "$<$<BOOL:${NDKSIM_WERROR}>:-Werror>")
if(NDKSIM_SANITIZE)
  target_compile_options(ndksim_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined)
  target_link_options(ndksim_flags INTERFACE -fsanitize=address,undefined)
endif()

# Host-side code: POSIX plus what libuv needs. Driver modules never link this.
add_library(ndksim_host_flags INTERFACE)
target_link_libraries(ndksim_host_flags INTERFACE ndksim_flags)
target_compile_definitions(ndksim_host_flags INTERFACE
  _DEFAULT_SOURCE _POSIX_C_SOURCE=200809L
  "$<$<PLATFORM_ID:Darwin>:_DARWIN_C_SOURCE>")

# Stricter set of sim, fabric and scenarios.
add_library(ndksim_strict_flags INTERFACE)
target_link_libraries(ndksim_strict_flags INTERFACE ndksim_host_flags)
target_compile_options(ndksim_strict_flags INTERFACE -Wconversion)
