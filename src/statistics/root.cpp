// SPDX-License-Identifier: Apache-2.0
#include "statistics/root.hpp"

#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>

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

}  // namespace foretask::statistics
