# SPDX-License-Identifier: Apache-2.0
# cmake -DCOMPILER=cc -DHEADERS=dir -P headers_alone.cmake
#
# Every header of the kit compiles by itself, without a warning, in each dialect: as a driver sees
# it (16-bit wide characters, its own C run-time headers) and as the kernel does.
set(driver -fshort-wchar -I${HEADERS}/crt)
set(warnings -Werror -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes)
set(dialect_names driver_c11 driver_gnu17 host_gnu11)
set(driver_c11 -std=c11 ${driver})
set(driver_gnu17 -std=gnu17 ${driver})
set(host_gnu11 -std=gnu11)

file(GLOB_RECURSE headers RELATIVE "${HEADERS}" "${HEADERS}/*.h")
list(LENGTH headers header_count)
if(header_count LESS 50)
  message(FATAL_ERROR "only ${header_count} headers under ${HEADERS}")
endif()
set(failed 0)
foreach(header IN LISTS headers)
  foreach(dialect IN LISTS dialect_names)
    if(header MATCHES "^crt/" AND dialect MATCHES "^host")
      continue()
    endif()
    execute_process(
      COMMAND "${COMPILER}" ${${dialect}} ${warnings} -I${HEADERS} -include "${HEADERS}/${header}"
              -fsyntax-only -x c /dev/null
      RESULT_VARIABLE result ERROR_VARIABLE text OUTPUT_VARIABLE text)
    if(NOT result EQUAL 0)
      math(EXPR failed "${failed} + 1")
      message("${header} as ${dialect}:\n${text}")
    endif()
  endforeach()
endforeach()
if(failed GREATER 0)
  message(FATAL_ERROR "${failed} compilations of single headers failed")
endif()
