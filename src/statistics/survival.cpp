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

double share_beyond(const std::vector<double>& times, const std::vector<std::uint8_t>& has_ended) {
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return times[a] != times[b] ? times[a] < times[b] : has_ended[a] > has_ended[b];
  });
  double share = 1;
  auto at_risk = static_cast<double>(order.size());
  for (const std::size_t one : order) {
    if (has_ended[one] != 0) share *= 1 - 1 / at_risk;
    --at_risk;
  }
  return share;
}

}  // namespace foretask::statistics
