// SPDX-License-Identifier: Apache-2.0
#include "simulate/cores/ready_queues.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace foretask::simulate {

PriorityQueue::PriorityQueue(std::span<const std::int64_t> priority, std::size_t count)
    : PriorityQueue(places_of(priority), count) {}

PriorityQueue::PriorityQueue(Places places, std::size_t count)
    : place_of_(std::move(places.of_node)), lists_(places.lists), next_(count), filled_(places.lists) {}

PriorityQueue::Places PriorityQueue::places_of(std::span<const std::int64_t> priority) {
  if (priority.empty()) return {};
  const auto [lowest, highest] = std::minmax_element(priority.begin(), priority.end());
  // The difference of any two fits an unsigned 64-bit number.
  const auto below_highest = [top = static_cast<std::uint64_t>(*highest)](std::int64_t value) {
    return top - static_cast<std::uint64_t>(value);
  };
  Places places{PageArray<std::uint32_t>(priority.size())};
  if (below_highest(*lowest) < 2 * priority.size()) {
    places.lists = below_highest(*lowest) + 1;
    for (std::size_t i = 0; i < priority.size(); ++i) {
      places.of_node[i] = static_cast<std::uint32_t>(below_highest(priority[i]));
    }
    return places;
  }
  std::vector<std::int64_t> distinct(priority.begin(), priority.end());
  std::sort(distinct.begin(), distinct.end(), std::greater<>());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  places.lists = distinct.size();
  for (std::size_t i = 0; i < priority.size(); ++i) {
    const auto place = std::lower_bound(distinct.begin(), distinct.end(), priority[i], std::greater<>());
    places.of_node[i] = static_cast<std::uint32_t>(place - distinct.begin());
  }
  return places;
}

}  // namespace foretask::simulate
