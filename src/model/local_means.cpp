// SPDX-License-Identifier: Apache-2.0
#include "model/local_means.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace foretask::model {
namespace {

const double kStepLog = std::log(1.1);
constexpr double kMemory = 64;  // samples that a step's mean is of, so that it follows a change

int step_of(double x) {
  return x > 0 ? static_cast<int>(std::floor(std::log(x) / kStepLog)) : std::numeric_limits<int>::min();
}

}  // namespace

std::optional<double> LocalMeans::predict(double x) const {
  if (means_.empty()) return std::nullopt;
  return interpolate(means_, x);
}

void LocalMeans::learn(double x, double time) {
  const int index = step_of(x);
  auto step = std::lower_bound(steps_.begin(), steps_.end(), index, [](const Step& a, int b) { return a.index < b; });
  auto mean = means_.begin() + (step - steps_.begin());
  if (step == steps_.end() || step->index != index) {
    steps_.insert(step, {index, 1});
    means_.insert(mean, {x, time});
    return;
  }
  step->samples = std::min(step->samples + 1, kMemory);
  mean->x += (x - mean->x) / step->samples;
  mean->time += (time - mean->time) / step->samples;
}

}  // namespace foretask::model
