// SPDX-License-Identifier: Apache-2.0
// A kernel's model fed as the learner feeds it, and times whose truth is known.
#pragma once

#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "catch.hpp"
#include "model/online/kernel_model.hpp"
#include "unit/model/fit/fit_data.hpp"

namespace online_test {

using fit_test::Random;
using foretask::model::KernelModel;
using foretask::model::KernelShape;
using foretask::model::ModelKind;
using foretask::model::Parameters;

inline void feed(KernelModel& model, const std::vector<double>& parameters, double time) {
  model.learn(parameters, time);
  if (model.search_is_due()) model.search();
}

// What it says of them; 0 where it says nothing.
inline double predicted(const KernelModel& model, const std::vector<double>& parameters) {
  const auto answer = model.predict(parameters);
  return answer ? answer->time : 0;
}

// By how much that is off the truth, as a share of it.
inline double error(const KernelModel& model, const std::vector<double>& parameters, double truth) {
  return std::abs(predicted(model, parameters) - truth) / truth;
}

// A factor whose logarithm is normal with this standard deviation, and whose mean is 1.
inline double noise(Random& random, double deviation) {
  return std::exp(deviation * random.normal() - 0.5 * deviation * deviation);
}

inline double gemm_ns(double m, double n, double k) { return 1000 + 0.25 * m * n * k; }

}  // namespace online_test
