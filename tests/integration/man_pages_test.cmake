# SPDX-License-Identifier: Apache-2.0
# cmake -DPAGES=DIR -DPROGRAM=foretask_pages -DSCRATCH=DIR -DCOMMAND=bin/foretask [-DMANDOC=mandoc] [-DMAN=man] -P
# man_pages_test.cmake: a page for each command, without warnings, and the same each time that it is written.
cmake_minimum_required(VERSION 3.25)

# A page for each command that the help text lists: check_commands(foretask WORD...).
function(check_commands)
  set(words ${ARGN})
  list(REMOVE_AT words 0)
  execute_process(COMMAND "${COMMAND}" ${words} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
  list(JOIN ARGN "-" name)
  if(NOT EXISTS "${PAGES}/man/man1/${name}.1")
    message(SEND_ERROR "no page ${name}.1")
  endif()
  if(help MATCHES "\nSubcommands:\n(.*)$")
    string(REGEX MATCHALL "(^|\n)  [a-z]+" rows "${CMAKE_MATCH_1}")
    foreach(row ${rows})
      string(STRIP "${row}" word)
      check_commands(${ARGN} ${word})
    endforeach()
  endif()
endfunction()
check_commands(foretask)

file(GLOB pages "${PAGES}/man/man1/*.1")
foreach(page ${pages})
  set(warnings)
  if(MANDOC)
    execute_process(COMMAND "${MANDOC}" -Tlint -Wwarning "${page}" OUTPUT_VARIABLE warnings)
  elseif(MAN)
    execute_process(COMMAND "${CMAKE_COMMAND}" -E env MAN_KEEP_STDERR=1 "${MAN}" --warnings -Tutf8 -Z -l "${page}"
      OUTPUT_QUIET ERROR_VARIABLE warnings)
  endif()
  if(warnings)
    message(SEND_ERROR "${page}: ${warnings}")
  endif()
endforeach()

foreach(time 1 2)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env SOURCE_DATE_EPOCH=86400 "${PROGRAM}" "${SCRATCH}/${time}"
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(GLOB_RECURSE written RELATIVE "${SCRATCH}/1" "${SCRATCH}/1/*")
foreach(file ${written})
  execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${SCRATCH}/1/${file}" "${SCRATCH}/2/${file}"
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(STRINGS "${SCRATCH}/1/man/man1/foretask.1" title REGEX "^[.]TH FORETASK 1 1970-01-02 ")
if(NOT title)
  message(SEND_ERROR "SOURCE_DATE_EPOCH is not the page's date")
endif()
list(LENGTH pages count)
message(STATUS "man pages: ${count} read")
