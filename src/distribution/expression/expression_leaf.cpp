// SPDX-License-Identifier: Apache-2.0
#include "distribution/expression/expression_leaf.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace foretask::distribution {

using analysis::Distribution;
using analysis::MeasuredTimes;

std::string shown(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", number);
  return text;
}

Result<Distribution> of_numbers(Function function, const std::vector<double>& x) {
  switch (function) {
    case Function::kExp:
      return Distribution::exponential(x[0]);
    case Function::kNormal:
      return Distribution::normal(x[0], x[1]);
    case Function::kUniform:
      return Distribution::uniform(x[0], x[1]);
    case Function::kLognormal:
      return Distribution::lognormal(x[0], x[1]);
    case Function::kGamma:
      return Distribution::gamma(x[0], x[1]);
    case Function::kWeibull:
      return Distribution::weibull(x[0], x[1]);
    case Function::kBeta:
      return Distribution::beta(x[0], x[1]);
    case Function::kMoments:
      if (x[1] < 0) return Error{"the standard deviation " + shown(x[1]) + " is negative"};
      return Distribution::of_moments({.mean = x[0], .variance = x[1] * x[1], .skewness = x[2], .kurtosis = x[3]});
    case Function::kGld:
    case Function::kFkml:
      return Distribution::of_lambda(
          {.form = function == Function::kGld ? analysis::LambdaForm::kRs : analysis::LambdaForm::kFkml,
           .l1 = x[0],
           .l2 = x[1],
           .l3 = x[2],
           .l4 = x[3]});
    default:
      return Distribution::constant(x[0]);
  }
}

Result<Distribution> of_times(MeasuredTimes times) {
  if (std::all_of(times.ended.begin(), times.ended.end(), [](std::uint8_t ended) { return ended != 0; }))
    return Distribution::of_samples(std::move(times.values));
  return Distribution::of_censored_samples(std::move(times.values), std::move(times.ended));
}

}  // namespace foretask::distribution
