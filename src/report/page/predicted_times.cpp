// SPDX-License-Identifier: Apache-2.0
#include "report/page/predicted_times.hpp"

#include <algorithm>

namespace foretask::report {

bool is_extrapolated(const PredictedTimes& predicted, double n, double p) {
  if (predicted.runs.empty()) return true;
  const auto [least, largest] = std::minmax_element(predicted.runs.begin(), predicted.runs.end(),
                                                    [](const auto& a, const auto& b) { return a.n < b.n; });
  const auto most = std::max_element(predicted.runs.begin(), predicted.runs.end(),
                                     [](const auto& a, const auto& b) { return a.p < b.p; });
  return n < least->n || n > largest->n || p > most->p;
}

}  // namespace foretask::report
