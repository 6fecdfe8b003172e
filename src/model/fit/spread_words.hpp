// SPDX-License-Identifier: Apache-2.0
// What the sources of a kernel's spread are called, and the sentence about them. Any thread; cold.
#pragma once

#include "foretask/analysis/variability.hpp"

namespace foretask::model {

// A source explains the spread in part from this share of it on, and all that matters of it from kExplains on.
inline constexpr double kExplainsPartly = 0.1;
inline constexpr double kExplains = 0.5;
inline constexpr double kSignificance = 0.01;

// Its share of the spread where that is significant, else 0.
[[nodiscard]] double credible_share(const analysis::SpreadFactor& factor);

// The verdict and the text, of factors in order of their credible shares.
void judge_and_say(analysis::Variability& result);

}  // namespace foretask::model
