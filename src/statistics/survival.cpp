// SPDX-License-Identifier: Apache-2.0
#include "statistics/survival.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace foretask::statistics {

LogRank log_rank(const std::vector<ComparedTime>& times) {
  LogRank result;
  auto all = static_cast<double>(times.size());
  auto first = static_cast<double>(
      std::count_if(times.begin(), times.end(), [](const ComparedTime& one) { return one.is_first_group; }));
  for (auto next = times.begin(); next != times.end() && first > 0 && first < all;) {
    const double time = next->time;
    double gone = 0, gone_first = 0, ended = 0, ended_first = 0;
    for (; next != times.end() && next->time == time; ++next) {
      ++gone;
      gone_first += next->is_first_group;
      ended += next->has_ended;
      ended_first += next->has_ended && next->is_first_group;
    }
    const double share = first / all;
    result.observed += ended_first;
    result.expected += ended * share;
    result.variance += ended * share * (1 - share) * (all - ended) / (all - 1);
    all -= gone;
    first -= gone_first;
  }
  return result;
}

ProductLimit product_limit(const std::vector<double>& times, const std::vector<std::uint8_t>& has_ended) {
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return times[i] < times[j]; });
  ProductLimit estimate;
  for (std::size_t i = 0; i < order.size();) {
    const double time = times[order[i]];
    const auto at_risk = static_cast<double>(order.size() - i);
    double ended = 0;
    for (; i < order.size() && times[order[i]] == time; ++i) ended += has_ended[order[i]] != 0;
    if (ended == 0) continue;
    estimate.times.push_back(time);
    estimate.probabilities.push_back(estimate.beyond * ended / at_risk);
    estimate.beyond *= (at_risk - ended) / at_risk;
  }
  return estimate;
}

}  // namespace foretask::statistics
