// SPDX-License-Identifier: Apache-2.0
// A test case that cannot run here says why and leaves: FORETASK_SKIP("no babeltrace2"). Catch2 2 has no skip of its
// own. ctest shows such a case as skipped: tests/unit/main.cpp ends with kSkippedExitCode. A failed check comes first.
#pragma once

#include <iostream>

#include "catch.hpp"

namespace foretask_test {

// What cmake/ForetaskTests.cmake gives ctest as SKIP_RETURN_CODE. Catch2 3 gives it this number by itself.
constexpr int kSkippedExitCode = 4;

inline int skipped_cases = 0;

}  // namespace foretask_test

#define FORETASK_SKIP(reason)                               \
  do {                                                      \
    std::cout << "skipped: " << (reason) << std::endl;      \
    ++foretask_test::skipped_cases;                         \
    SUCCEED("a case that is skipped needs no other check"); \
    return;                                                 \
  } while (false)
