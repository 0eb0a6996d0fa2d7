# SPDX-License-Identifier: Apache-2.0
# ndksim_add_module(name [STRICT] [ROOM room] SOURCES ... [LINK ...])
#
# One module of the house: a static library whose only public include folder is
# <source dir>/include. Linking is the permission to include. ROOM: whose model memory its
# allocations are counted as (enum sim_room).
#
# ndksim_optimise_link(program)
#
# Links a program across modules, where NDKSIM_LTO says so. Its code is the program's own: it need
# not reach its variables as a library does.
include_guard(GLOBAL)

function(ndksim_optimise_link program)
  if(NDKSIM_LTO)
    target_link_options(${program} PRIVATE -flto=auto -fPIE)
  endif()
endfunction()

function(ndksim_add_module name)
  cmake_parse_arguments(ARG "STRICT" "ROOM" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name}
    PUBLIC "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>"
    PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(NDKSIM_LTO)
    target_compile_options(${name} PRIVATE -flto -ffat-lto-objects)
  endif()
  if(ARG_ROOM)
    target_compile_definitions(${name} PRIVATE SIM_ROOM=SIM_ROOM_${ARG_ROOM})
  endif()
  if(ARG_STRICT)
    target_link_libraries(${name} PRIVATE ndksim_strict_flags)
  else()
    target_link_libraries(${name} PRIVATE ndksim_host_flags)
  endif()
endfunction()
