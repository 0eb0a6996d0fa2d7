# SPDX-License-Identifier: Apache-2.0
# ndksim_bugcheck_names(OUTPUT): a line KRN_BUGCHECK_NAME(NAME, VALUE) for each bugcheck code that
# bugcodes.h defines, in its order: a driver may ask for any of them.
function(ndksim_bugcheck_names output)
  set(header "${PROJECT_SOURCE_DIR}/ndkpi-model/include/wdk/bugcodes.h")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
  set(text "/* Made from bugcodes.h. */\n")
  file(STRINGS "${header}" lines REGEX "^#define [A-Z0-9_]+ \\(\\(ULONG\\)0x")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^#define ([A-Z0-9_]+) \\(\\(ULONG\\)(0x[0-9A-Fa-f]+)" found "${line}")
    string(APPEND text "KRN_BUGCHECK_NAME(${CMAKE_MATCH_1}, ${CMAKE_MATCH_2})\n")
  endforeach()
  file(CONFIGURE OUTPUT "${output}" CONTENT "${text}" @ONLY)
endfunction()
