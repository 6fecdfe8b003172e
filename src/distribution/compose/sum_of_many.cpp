// SPDX-License-Identifier: Apache-2.0
#include "distribution/compose/sum_of_many.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "distribution/compose/convolution.hpp"
#include "distribution/family/known_family.hpp"

namespace foretask::distribution {
namespace {

// How many of such a part, with the variance that they have together, make up a sum that is near enough to normal.
double crooked_variance(const Cumulants& one) {
  constexpr double kEnough = 900;  // of a part whose skewness and excess are about 1; the error goes as their 3/2 power
  constexpr double kUnknown = 1e4;  // where the fourth moment does not exist
  if (!std::isfinite(one[2])) return kInfinity;
  const double skewness2 = one[2] * one[2] / (one[1] * one[1] * one[1]);
  const double excess = std::isfinite(one[3]) ? std::fabs(one[3]) / (one[1] * one[1]) : kUnknown;
  return kEnough * std::max({1.0, skewness2, excess}) * one[1];
}

TablePtr near_normal_table(const Cumulants& cumulants, double low, double high) {
  static const TablePtr normal = tabulated(*make_family(Family::normal, 0, 1), kFine);
  const double sd = std::sqrt(cumulants[1]);
  const double g1 = cumulants[2] / (cumulants[1] * sd);
  const double g2 = std::isfinite(cumulants[3]) ? cumulants[3] / (cumulants[1] * cumulants[1]) : 0;
  std::vector<Knot> knots;
  for (Knot knot : normal->knots()) {
    const double w = knot.x;
    const double y = w + g1 * (w * w - 1) / 6 + g2 * (w * w * w - 3 * w) / 24 - g1 * g1 * (2 * w * w * w - 5 * w) / 36;
    knot.x = std::clamp(cumulants[0] + sd * y, low, high);
    if (knots.empty() || knot.x > knots.back().x) knots.push_back(knot);
  }
  return std::make_shared<const Table>(std::move(knots), low, high);
}

TablePtr constant_table(double value) {
  return std::make_shared<const Table>(std::vector<Knot>{{value, -kInfinity, kInfinity, true}}, value, value);
}

}  // namespace

bool near_normal(const Cumulants& one, double count) { return one[1] > 0 && count * one[1] > crooked_variance(one); }

const TablePtr& RunningSum::power(std::size_t k) {
  while (powers_.size() <= k) {
    const double times = std::exp2(static_cast<double>(powers_.size()));
    powers_.push_back(sum_of(*powers_.back(), *powers_.back(), repeated(cumulants_, times), precision_));
  }
  return powers_[k];
}

TablePtr RunningSum::up_to(std::uint64_t count) {
  if (count == 1) return powers_[0];
  const auto n = static_cast<double>(count);
  if (cumulants_[1] == 0) return constant_table(cumulants_[0] * n);
  const Table& one = *powers_[0];
  if (near_normal(cumulants_, n)) return near_normal_table(repeated(cumulants_, n), n * one.low(), n * one.high());
  std::uint64_t left = count - summed_;
  for (std::size_t k = 0; left != 0; ++k, left >>= 1U) {
    if ((left & 1U) == 0) continue;
    summed_ += std::uint64_t{1} << k;
    const Cumulants expected = repeated(cumulants_, static_cast<double>(summed_));
    sum_ = sum_ == nullptr ? power(k) : sum_of(*sum_, *power(k), expected, precision_);
  }
  return sum_;
}

TablePtr sum_of_all(std::vector<Term> terms, const Precision& precision) {
  // The first ones, by what each of them asks of the variance of all, as far as they are near normal together.
  const auto asks = [](const Term& term) { return term.cumulants[1] > 0 ? crooked_variance(term.cumulants) : 0; };
  std::stable_sort(terms.begin(), terms.end(), [&](const Term& a, const Term& b) { return asks(a) < asks(b); });
  std::size_t many = 0;
  double variance = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    variance += terms[i].count * terms[i].cumulants[1];
    if (variance > asks(terms[i])) many = i + 1;
  }
  Cumulants total{};
  double low = 0;
  double high = 0;
  TablePtr sum;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Term& term = terms[i];
    total = added(total, repeated(term.cumulants, term.count));
    if (i < many) {
      low += term.count * term.x->quantile(-kInfinity);
      high += term.count * term.x->quantile(kInfinity);
      if (i + 1 == many) sum = near_normal_table(total, low, high);
      continue;
    }
    const TablePtr part =
        RunningSum(term.table(), term.cumulants, precision).up_to(static_cast<std::uint64_t>(term.count));
    sum = sum == nullptr ? part : sum_of(*sum, *part, total, precision);
  }
  return sum;
}

}  // namespace foretask::distribution
