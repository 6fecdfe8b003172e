# SPDX-License-Identifier: Apache-2.0
# How tests reach ctest: what cannot run on this machine is listed there as skipped, with its reason, and never as passed.

# foretask_discover_tests(TARGET LABEL PREFIX [PROPERTY VALUE]...): each test case is one of ctest's tests. One that
# cannot run here is shown as skipped: tests/skip.hpp. None waits for a calibration, but for those that ask for one.
function(foretask_discover_tests target label prefix)
  catch_discover_tests(${target} TEST_PREFIX "${prefix}: " PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77
    ENVIRONMENT_MODIFICATION "FORETASK_CALIBRATE=set:0" ${ARGN})
endfunction()

# foretask_missing_tests(NAME LABEL REASON): in place of tests that cannot be built here, one that ctest shows as skipped.
function(foretask_missing_tests name label reason)
  message(STATUS "foretask: ${reason}: ${name} is not tested")
  add_test(NAME "${label}: ${name}" COMMAND "${CMAKE_COMMAND}" -E echo "skipped: ${reason}")
  set_tests_properties("${label}: ${name}" PROPERTIES LABELS ${label} SKIP_REGULAR_EXPRESSION "^skipped: ")
endfunction()
