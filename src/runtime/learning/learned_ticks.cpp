// SPDX-License-Identifier: Apache-2.0
#include "runtime/learning/learned_ticks.hpp"

#include <algorithm>

#include "runtime/learning/learning.hpp"

namespace foretask::runtime {

base::Ticks learned_ticks(const foretask_kernel* kernel, const double* parameters, std::size_t count) noexcept {
  foretask_prediction prediction = FORETASK_PREDICTION_INIT;
  if (foretask_predict(kernel, parameters, count, &prediction) != FORETASK_OK || prediction.status != FORETASK_READY)
    return 0;
  double mean_ns = 0;
  if (foretask_predict_mean(kernel, parameters, count, &mean_ns) != FORETASK_OK || !(mean_ns > 0)) return 0;
  constexpr base::Ticks kMany = 1 << 20;
  const double ticks = mean_ns * static_cast<double>(kMany) / Learning::instance().scale().ns(kMany);
  return std::max<base::Ticks>(static_cast<base::Ticks>(std::min(ticks, 1e15)), 1);
}

}  // namespace foretask::runtime
