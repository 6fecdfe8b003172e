// SPDX-License-Identifier: Apache-2.0

#include "catch.hpp"
#include "report/whatif/whatif.hpp"

using Catch::Matchers::ContainsSubstring;

TEST_CASE("of long names the file is left out: the function and the line stay") {
  foretask::report::WhatIf whatif;
  whatif.work_ns = 100;
  whatif.span_ns = 50;
  whatif.kernels = {{"OptimizedStrassenMultiply_par (tied-strassen.c:1130)", 1, 60, 0.6},
                    {"OptimizedStrassenMultiply_par (tied-strassen.c:1153)", 1, 40, 0.4}};
  whatif.factors = {2};
  whatif.cores = {1};
  whatif.rows = {{.kernel = 0, .factor = 2, .cores = 1, .base_ns = 100, .makespan_ns = 70},
                 {.kernel = 1, .factor = 2, .cores = 1, .base_ns = 100, .makespan_ns = 80}};
  const std::string text = whatif_text(whatif);
  CHECK_THAT(text, ContainsSubstring("OptimizedStrassenMultiply_par (...:1130)  ") &&
                       ContainsSubstring("OptimizedStrassenMultiply_par (...:1153)  "));
  CHECK_THAT(text, ContainsSubstring("make OptimizedStrassenMultiply_par (tied-strassen.c:1130) faster"));
  CHECK_THAT(text, ContainsSubstring("0 tasks"));
  whatif.contents = "3 parallel loops (run 40 times)";
  CHECK_THAT(whatif_text(whatif),
             ContainsSubstring(": 3 parallel loops (run 40 times), work") && !ContainsSubstring("0 tasks"));
}

TEST_CASE("a faster kernel that makes the program slower is explained") {
  foretask::report::WhatIf whatif;
  whatif.kernels = {{"a", 1, 60, 0.6}};
  whatif.factors = {2};
  whatif.cores = {3};
  whatif.rows = {{.kernel = 0, .factor = 2, .cores = 3, .base_ns = 12, .makespan_ns = 13}};  // Graham's nine tasks
  CHECK_THAT(whatif_text(whatif),
             ContainsSubstring("-7.7 %") && ContainsSubstring("\nBelow 0: ") && ContainsSubstring("Graham 1969"));
  whatif.rows.front().makespan_ns = 12;
  CHECK_THAT(whatif_text(whatif), !ContainsSubstring("Below 0"));
  whatif.rows.front() = {.kernel = 0, .factor = 0.5, .cores = 3, .base_ns = 12, .makespan_ns = 13};
  CHECK_THAT(whatif_text(whatif), !ContainsSubstring("Below 0"));
}
