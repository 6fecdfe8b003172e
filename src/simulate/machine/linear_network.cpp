// SPDX-License-Identifier: Apache-2.0
#include "simulate/machine/linear_network.hpp"

#include <algorithm>
#include <cmath>

namespace foretask::simulate {
namespace {

constexpr std::uint32_t kUnlimited = 0xffffffffU;
// 146 years: what is slower has no use, and sums of times stay within 63 bits.
constexpr long double kLongestNs = 4.6e18L;

std::uint32_t limit(std::uint32_t count) noexcept { return count == 0 ? kUnlimited : count; }

void take(std::uint32_t& free) noexcept {
  if (free != kUnlimited) --free;
}
void give(std::uint32_t& free) noexcept {
  if (free != kUnlimited) ++free;
}

}  // namespace

std::int64_t transfer_ns(const analysis::LinearNetwork& network, std::uint64_t bytes) noexcept {
  const long double ns = static_cast<long double>(bytes) * 1e9L / static_cast<long double>(network.bytes_per_second);
  return std::llround(std::min(ns, kLongestNs));
}

LinearNetwork::LinearNetwork(const analysis::Platform& platform)
    : model_(platform.network), free_buses_(limit(platform.network.buses)) {
  limited_ = free_buses_ != kUnlimited;
  for (const analysis::PlatformNode& node : platform.nodes) {
    free_out_.push_back(limit(node.out_links));
    free_in_.push_back(limit(node.in_links));
    limited_ |= node.out_links != 0 || node.in_links != 0;
  }
}

void LinearNetwork::send(const Message& message) {
  under_way_.push({now_ns_ + model_.latency_ns, Step::kAtLinks, message});
}

bool LinearNetwork::has_links(const Route& route) const noexcept {
  return free_buses_ != 0 && free_out_[route.first] != 0 && free_in_[route.second] != 0;
}

void LinearNetwork::transfer(const Message& message) {
  take(free_buses_);
  take(free_out_[message.from]);
  take(free_in_[message.to]);
  under_way_.push({now_ns_ + transfer_ns(model_, message.bytes), Step::kTransferred, message});
}

// Of those whose links are free, the one that has waited longest, and so on.
void LinearNetwork::start_waiting() {
  while (waiting_ != 0 && free_buses_ != 0) {
    auto first = queues_.end();
    for (auto queue = queues_.begin(); queue != queues_.end(); ++queue) {
      if (!has_links(queue->first)) continue;
      if (first == queues_.end() || queue->second.front().turn < first->second.front().turn) first = queue;
    }
    if (first == queues_.end()) return;
    transfer(first->second.front().message);
    first->second.pop_front();
    --waiting_;
    if (first->second.empty()) queues_.erase(first);
  }
}

// All that happens at the present instant. A message of no bytes needs no link.
void LinearNetwork::handle_events() {
  while (!under_way_.empty() && under_way_.top().time_ns <= now_ns_) {
    const Event event = under_way_.top();
    under_way_.pop();
    const Message& message = event.message;
    if (event.step == Step::kTransferred) {
      give(free_buses_);
      give(free_out_[message.from]);
      give(free_in_[message.to]);
      arrivals_.insert(message.edge);
    } else if (message.bytes == 0) {
      arrivals_.insert(message.edge);
    } else if (!limited_) {
      transfer(message);
    } else {
      queues_[{message.from, message.to}].push_back({next_turn_++, message});
      ++waiting_;
    }
    // What comes to the links at this instant does so before any of them is given away.
    const bool more = !under_way_.empty() && under_way_.top().time_ns <= now_ns_;
    if (!more) start_waiting();
  }
}

std::optional<std::uint64_t> LinearNetwork::arrived() {
  handle_events();
  if (arrivals_.empty()) return std::nullopt;
  const std::uint64_t edge = *arrivals_.begin();
  arrivals_.erase(arrivals_.begin());
  return edge;
}

std::int64_t LinearNetwork::advance(std::int64_t limit_ns) {
  while (arrivals_.empty() && !under_way_.empty() && under_way_.top().time_ns < limit_ns) {
    now_ns_ = std::max(now_ns_, under_way_.top().time_ns);
    handle_events();
  }
  if (arrivals_.empty()) now_ns_ = limit_ns;
  return now_ns_;
}

}  // namespace foretask::simulate
