// SPDX-License-Identifier: Apache-2.0
// Loops that the runtime divides by the number of its threads, where a replay keeps the parts of the recorded run.
#pragma once

#include <cstdint>
#include <string>

#include "foretask/analysis/run.hpp"

namespace foretask::report {

// Of the critical path.
[[nodiscard]] double loop_parts_share(const analysis::Report& report);

// What such a share of a run on `workers` says of more of them: a sentence without its end. Empty where it is small.
[[nodiscard]] std::string loop_parts_words(double share, std::uint32_t workers);

}  // namespace foretask::report
