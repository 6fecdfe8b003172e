# SPDX-License-Identifier: Apache-2.0
# How tests reach ctest: what cannot run on this machine is listed there as skipped, with its reason, and never as passed.

# foretask_discover_tests(TARGET LABEL PREFIX [PROPERTY VALUE]...): each test case is one of ctest's tests. One that
# cannot run here is shown as skipped: tests/skip.hpp. None waits for a calibration, but for those that ask for one.
function(foretask_discover_tests target label prefix)
  # Stress tests count on a process of their own.
  if(FORETASK_SANITIZE AND label STREQUAL unit)
    foretask_add_test_files(${target} ${label} ${prefix} ${ARGN})
    return()
  endif()
  catch_discover_tests(${target} TEST_PREFIX "${prefix}: " PROPERTIES LABELS ${label} SKIP_RETURN_CODE 4
    ENVIRONMENT_MODIFICATION "FORETASK_CALIBRATE=set:0" ${ARGN})
endfunction()

# foretask_add_test_files(TARGET LABEL PREFIX [PROPERTY VALUE]...): each source file is one of ctest's tests. Under the
# sanitizers a process alone takes half a second to start.
function(foretask_add_test_files target label prefix)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "_test\\.cpp$")
  list(TRANSFORM sources REPLACE "^.*/([^/]+)\\.cpp$" "\\1")
  list(REMOVE_DUPLICATES sources)
  # [.]: hidden cases, which others start in processes of their own.
  foreach(name IN LISTS sources)
    add_test(NAME "${prefix}: ${name}" COMMAND ${target} --filenames-as-tags "[#${name}]~[.]")
    set_tests_properties("${prefix}: ${name}" PROPERTIES LABELS ${label} SKIP_RETURN_CODE 4
      ENVIRONMENT_MODIFICATION "FORETASK_CALIBRATE=set:0" ${ARGN})
  endforeach()
  # It takes minutes there: not the last to start.
  if("program_model_test" IN_LIST sources)
    set_tests_properties("${prefix}: program_model_test" PROPERTIES COST 1000)
  endif()
endfunction()

# foretask_missing_tests(NAME LABEL REASON): in place of tests that cannot be built here, one that ctest shows as skipped.
function(foretask_missing_tests name label reason)
  message(STATUS "foretask: ${reason}: ${name} is not tested")
  add_test(NAME "${label}: ${name}" COMMAND "${CMAKE_COMMAND}" -E echo "skipped: ${reason}")
  set_tests_properties("${label}: ${name}" PROPERTIES LABELS ${label} SKIP_REGULAR_EXPRESSION "^skipped: ")
endfunction()
