// SPDX-License-Identifier: Apache-2.0
// Cut-offs of tasks in words.
#pragma once

#include <string>

#include "foretask/analysis/coarse_graph.hpp"
#include "foretask/analysis/cut_off_advice.hpp"

namespace foretask::report {

// "10 us", as it was given; or "depth 9".
[[nodiscard]] std::string cut_off_words(const analysis::CutOff& cut_off);

// What the run would gain, and how to ask for more.
[[nodiscard]] std::string advice_words(const analysis::CutOffAdvice& advice);

}  // namespace foretask::report
