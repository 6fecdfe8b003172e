// SPDX-License-Identifier: Apache-2.0
// Sentences that several answers share.
#pragma once

#include <cstdint>
#include <string>

#include "foretask/analysis/baseline.hpp"
#include "foretask/analysis/coarse_graph.hpp"
#include "foretask/analysis/cut_off_advice.hpp"
#include "foretask/analysis/run.hpp"

namespace foretask::report {

// What recording changed, or why the runs cannot be compared.
[[nodiscard]] std::string baseline_words(const analysis::Baseline& baseline);

// "70.0 ms to 130 ms", or "100 ms".
[[nodiscard]] std::string range_words(const analysis::TimeRange& range);

// "10 us", as it was given; or "depth 9".
[[nodiscard]] std::string cut_off_words(const analysis::CutOff& cut_off);

// What the run would gain by a cut-off, and how to ask for more.
[[nodiscard]] std::string advice_words(const analysis::CutOffAdvice& advice);

// The share of the critical path that is parts of loops. The runtime divides these by the number of its threads; a
// replay keeps the recorded run's parts.
[[nodiscard]] double loop_parts_share(const analysis::Report& report);

// What such a share of a run on `workers` says of more of them: a sentence without its end. Empty where it is small.
[[nodiscard]] std::string loop_parts_words(double share, std::uint32_t workers);

}  // namespace foretask::report
