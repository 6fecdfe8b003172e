// SPDX-License-Identifier: Apache-2.0
// The replays with drawn task times that a page shows.
#pragma once

#include "cli/options/input.hpp"
#include "foretask/result.hpp"
#include "report/page/makespans.hpp"
#include "report/page/speed_ups.hpp"

namespace foretask::cli {

// On the numbers of cores of `ups`, as many as some two seconds allow. Shows progress. Errors: simulate()'s.
[[nodiscard]] Result<report::Makespans> page_makespans(const Input& input, const report::SpeedUps& ups);

// From then on the band of `ups` has 90 % of these replays.
void widen_band(const report::Makespans& spans, report::SpeedUps& ups);

}  // namespace foretask::cli
