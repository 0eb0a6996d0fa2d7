# SPDX-License-Identifier: Apache-2.0
# ndksim_add_variant(name BASE driver FILE source OLD text NEW text)
#
# A planted bug: driver module `name` is `driver` rebuilt with the text OLD of one of its sources
# replaced by NEW. OLD must stand in the file exactly once, else configuring fails and says so: a
# variant whose block is gone would test nothing. FILE is relative to the source tree. Texts come
# best as bracket arguments: [==[ ... ]==]. A bug that needs more than one place of FILE has OLD2
# and NEW2, OLD3 and NEW3 for the others. `driver` may be a variant itself; then FILE is another.
include_guard(GLOBAL)

function(ndksim_variant_replace text_var old new where)
  set(text "${${text_var}}")
  string(FIND "${text}" "${old}" first)
  string(FIND "${text}" "${old}" last REVERSE)
  if(first EQUAL -1)
    message(FATAL_ERROR "${where}: the block to replace is gone:\n${old}")
  endif()
  if(NOT first EQUAL last)
    message(FATAL_ERROR "${where}: the block to replace stands there more than once:\n${old}")
  endif()
  if(old STREQUAL new)
    message(FATAL_ERROR "${where}: the replacement equals the block")
  endif()
  string(REPLACE "${old}" "${new}" text "${text}")
  set(${text_var} "${text}" PARENT_SCOPE)
endfunction()

function(ndksim_variant_sources out target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(dir ${target} SOURCE_DIR)
  set(all)
  foreach(one IN LISTS sources)
    get_filename_component(one "${one}" ABSOLUTE BASE_DIR "${dir}")
    list(APPEND all "${one}")
  endforeach()
  set(${out} "${all}" PARENT_SCOPE)
endfunction()

function(ndksim_add_variant name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "BASE;FILE;OLD;NEW;OLD2;NEW2;OLD3;NEW3" "")
  if(NOT TARGET ${ARG_BASE})
    message(FATAL_ERROR "variant ${name}: there is no driver ${ARG_BASE}")
  endif()
  set(source "${PROJECT_SOURCE_DIR}/${ARG_FILE}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  file(READ "${source}" text)
  foreach(place "" 2 3)
    if(DEFINED ARG_OLD${place})
      ndksim_variant_replace(text "${ARG_OLD${place}}" "${ARG_NEW${place}}"
        "variant ${name}, ${ARG_FILE}")
    endif()
  endforeach()
  get_filename_component(base_name "${ARG_FILE}" NAME)
  get_filename_component(source_dir "${source}" DIRECTORY)
  set(copy "${CMAKE_CURRENT_BINARY_DIR}/variant/${name}/${base_name}")
  file(CONFIGURE OUTPUT "${copy}" CONTENT "${text}" @ONLY)

  get_target_property(sources ${ARG_BASE} NDKSIM_SOURCES)
  if(NOT sources)
    ndksim_variant_sources(sources ${ARG_BASE})
  endif()
  if(NOT "${source}" IN_LIST sources)
    message(FATAL_ERROR "variant ${name}: ${ARG_FILE} is no source of ${ARG_BASE}, or is replaced")
  endif()
  list(REMOVE_ITEM sources "${source}")
  # Only the copy is compiled; everything else is the base's own objects.
  get_target_property(objects ${ARG_BASE} NDKSIM_OBJECTS)
  if(NOT objects)
    set(objects "$<TARGET_OBJECTS:${ARG_BASE}>")
  endif()
  string(REGEX REPLACE "[.]" "[.]" pattern "/${base_name}")
  set(pattern "EXCLUDE,${pattern}[.]o(bj)?$")
  list(TRANSFORM objects REPLACE "(.+)" "$<FILTER:\\1,${pattern}>")
  add_library(${name} MODULE "${copy}")
  foreach(property PREFIX OUTPUT_NAME SUFFIX C_EXTENSIONS C_VISIBILITY_PRESET
          LIBRARY_OUTPUT_DIRECTORY INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS
          LINK_OPTIONS)
    get_target_property(value ${ARG_BASE} ${property})
    if(NOT value MATCHES "-NOTFOUND$")
      set_target_properties(${name} PROPERTIES ${property} "${value}")
    endif()
  endforeach()
  get_target_property(libraries ${ARG_BASE} NDKSIM_LIBRARIES)
  if(NOT libraries)
    get_target_property(libraries ${ARG_BASE} LINK_LIBRARIES)
  endif()
  set_target_properties(${name} PROPERTIES OUTPUT_NAME "${name}" PREFIX ""
    NDKSIM_LIBRARIES "${libraries}" LINK_LIBRARIES "${libraries}"
    NDKSIM_SOURCES "${sources}" NDKSIM_OBJECTS "${objects};$<TARGET_OBJECTS:${name}>"
    LINK_DEPENDS "${objects}")
  target_link_libraries(${name} PRIVATE "${objects}")
  add_dependencies(${name} ${ARG_BASE})
  target_include_directories(${name} PRIVATE "${source_dir}")
  # A planted bug may leave something unused. Options of a source come after those of its target.
  set_property(SOURCE "${copy}" APPEND PROPERTY COMPILE_OPTIONS
    -Wno-unused -Wno-unused-but-set-variable -Wno-unused-parameter -Wno-unused-function)
endfunction()
