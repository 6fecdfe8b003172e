# SPDX-License-Identifier: Apache-2.0
# run_paths.cmake must refuse each wrong run path, and no right one: -DREADELF=readelf -DC=cc -DSCRATCH=DIR
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${SCRATCH}")
file(WRITE "${SCRATCH}/empty.c" "int main(void) { return 0; }\n")

# check(NAME RUN_PATH WANTED): a program with this run path, or with none, is refused (wrong) or not (right).
function(check name run_path wanted)
  set(options)
  if(run_path)
    set(options "-Wl,-rpath,${run_path}")
  endif()
  file(MAKE_DIRECTORY "${SCRATCH}/${name}")
  execute_process(COMMAND "${C}" "${SCRATCH}/empty.c" -o "${SCRATCH}/${name}/program" ${options}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${CMAKE_COMMAND}" "-DREADELF=${READELF}" "-DFOLDERS=${SCRATCH}/${name}"
    -P "${CMAKE_CURRENT_LIST_DIR}/run_paths.cmake" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(found right)
  if(NOT status EQUAL 0)
    set(found wrong)
  endif()
  if(NOT found STREQUAL wanted)
    message(SEND_ERROR "run path '${run_path}' is said to be ${found}\n${output}")
  endif()
endfunction()

check(none "" right)
check(absolute "/opt/lib" right)
check(origin "$ORIGIN/../lib:$ORIGIN" right)
check(padded "$ORIGIN::::" wrong)
check(leading ":/opt/lib" wrong)
check(between "/opt/lib::/opt/lib" wrong)
check(relative "/opt/lib:lib" wrong)
check(dot "." wrong)
check(lookalike "$ORIGINAL/lib" wrong)
