// SPDX-License-Identifier: Apache-2.0
#include "statistics/root.hpp"

#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <utility>

namespace foretask::statistics {
namespace {

namespace policies = boost::math::policies;

// Nothing is thrown: what came of it is looked at.
using Quiet = policies::policy<policies::domain_error<policies::ignore_error>,
                               policies::evaluation_error<policies::ignore_error>>;

constexpr std::uintmax_t kMostCalls = 400;
constexpr int kBits = 52;

boost::math::tools::eps_tolerance<double> tolerance() { return boost::math::tools::eps_tolerance<double>(kBits); }

}  // namespace

std::optional<double> root_between(const std::function<double(double)>& f, double low, double high) {
  const double at_low = f(low);
  const double at_high = f(high);
  if (at_low == 0) return low;
  if (at_high == 0) return high;
  if (std::isnan(at_low) || std::isnan(at_high) || (at_low < 0) == (at_high < 0)) return std::nullopt;
  std::uintmax_t calls = kMostCalls;
  return boost::math::tools::toms748_solve(std::cref(f), low, high, at_low, at_high, tolerance(), calls, Quiet())
      .second;
}

double least_between(const std::function<double(double)>& f, double low, double high, int sections) {
  const double part = 0.5 * (3 - std::sqrt(5.0));
  double left = low + part * (high - low);
  double right = high - part * (high - low);
  double at_left = f(left);
  double at_right = f(right);
  for (int i = 0; i < sections; ++i) {
    if (at_left < at_right) {
      high = std::exchange(right, left);
      at_right = at_left;
      left = low + part * (high - low);
      at_left = f(left);
    } else {
      low = std::exchange(left, right);
      at_left = at_right;
      right = high - part * (high - low);
      at_right = f(right);
    }
  }
  return 0.5 * (low + high);
}

}  // namespace foretask::statistics
