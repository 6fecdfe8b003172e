// SPDX-License-Identifier: Apache-2.0
#include "simulate/network/linear_network.hpp"

#include <algorithm>
#include <cmath>

namespace foretask::simulate {
namespace {

constexpr std::uint32_t kUnlimited = 0xffffffffU;
// As an integer there is nothing longer; that no sum passes 62 bits is checked before.
constexpr long double kLongestNs = 9.2e18L;

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
  heads_from_.resize(platform.nodes.size());
  heads_to_.resize(platform.nodes.size());
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

void LinearNetwork::wait(const Message& message) {
  std::deque<Waiting>& queue = queues_[{message.from, message.to}];
  if (queue.empty()) {
    heads_from_[message.from].emplace(next_turn_, message.to);
    heads_to_[message.to].emplace(next_turn_, message.from);
    touched_from_.insert(message.from);
  }
  queue.push_back({next_turn_++, message});
  ++waiting_;
}

void LinearNetwork::start(const Route& route) {
  const auto queue = queues_.find(route);
  const Waiting first = queue->second.front();
  queue->second.pop_front();
  --waiting_;
  heads_from_[route.first].erase({first.turn, route.second});
  heads_to_[route.second].erase({first.turn, route.first});
  if (queue->second.empty()) {
    queues_.erase(queue);
  } else {
    const std::uint64_t next = queue->second.front().turn;
    heads_from_[route.first].emplace(next, route.second);
    heads_to_[route.second].emplace(next, route.first);
  }
  transfer(first.message);
}

// Of those that may start the one that has waited longest. A turn of 2^64 - 1: none.
LinearNetwork::Start LinearNetwork::next_start() const {
  Start best;
  if (free_buses_ == 0) return best;
  for (const std::uint32_t from : touched_from_) {
    if (free_out_[from] == 0) continue;
    for (const auto& [turn, to] : heads_from_[from]) {
      if (turn >= best.turn) break;
      if (free_in_[to] != 0) best = {turn, {from, to}};
    }
  }
  for (const std::uint32_t to : touched_to_) {
    if (free_in_[to] == 0) continue;
    for (const auto& [turn, from] : heads_to_[to]) {
      if (turn >= best.turn) break;
      if (free_out_[from] != 0) best = {turn, {from, to}};
    }
  }
  if (!bus_given_back_) return best;
  for (const auto& [route, queue] : queues_)
    if (queue.front().turn < best.turn && has_links(route)) best = {queue.front().turn, route};
  return best;
}

void LinearNetwork::start_waiting() {
  while (waiting_ != 0) {
    const Start next = next_start();
    if (next.turn == Start{}.turn) break;
    start(next.route);
  }
  touched_from_.clear();
  touched_to_.clear();
  bus_given_back_ = false;
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
      touched_from_.insert(message.from);
      touched_to_.insert(message.to);
      bus_given_back_ = free_buses_ != kUnlimited;
      arrivals_.insert(message.edge);
    } else if (message.bytes == 0) {
      arrivals_.insert(message.edge);
    } else if (!limited_) {
      transfer(message);
    } else {
      wait(message);
    }
    // What comes to the links at this instant does so before any of them is given away.
    const bool more = !under_way_.empty() && under_way_.top().time_ns <= now_ns_;
    if (!more) start_waiting();
  }
}

std::optional<std::uint64_t> LinearNetwork::arrived() {
  handle_events();
  return Network::arrived();
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
