// SPDX-License-Identifier: Apache-2.0
// The sentences are those of the documentation; percents worked out by hand.
#include "report/sentences.hpp"

#include "catch.hpp"

using foretask::analysis::Baseline;
using foretask::analysis::LaunchedRun;
using foretask::report::baseline_words;

namespace {

LaunchedRun run(const char* runtime, double seconds, int exit_code = 0, int signal = 0) {
  return {runtime, static_cast<std::int64_t>(seconds * 1e9), exit_code, signal};
}

}  // namespace

TEST_CASE("what recording changed") {
  CHECK(baseline_words({run("libomp", 2.5), run("libomp", 2.6)}) ==
        "Unrecorded, the program took 2.50 s; recorded, 2.60 s: 4 % longer.");
  CHECK(baseline_words({run("", 2.5), run("", 2.46)}) ==
        "Unrecorded, the program took 2.50 s; recorded, 2.46 s: no difference above 2 %.");
  CHECK(baseline_words({run("libomp", 0.02), run("libomp", 0.05)}) ==
        "Unrecorded, the program took 20.0 ms; recorded, 50.0 ms: 2.5 times as long.");
}

TEST_CASE("runs that ended differently are not compared") {
  CHECK(baseline_words({run("libgomp", 0.1, 4), run("libgomp", 2)}) ==
        "Unrecorded, the program ended with exit code 4; recorded, it ended with exit code 0. So their times cannot be "
        "compared.");
  CHECK(baseline_words({run("libomp", 0.1, 0, 11), run("libomp", 2)}) ==
        "Unrecorded, the program was killed by signal 11 (Segmentation fault); recorded, it ended with exit code 0. So "
        "their times cannot be compared.");
  // The same failure is the same work.
  CHECK(baseline_words({run("libomp", 2.5, 3), run("libomp", 2.6, 3)}) ==
        "Unrecorded, the program took 2.50 s; recorded, 2.60 s: 4 % longer.");
}
