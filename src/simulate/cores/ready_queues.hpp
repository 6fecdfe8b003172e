// SPDX-License-Identifier: Apache-2.0
// HOT: the ready nodes, one type a policy. pop() gives the node with the smallest key. kOrdered says whether the key
// depends on the order in which nodes become ready: where not, the order inside one instant need not be kept.
// prefetch(node) is called some time before push(node); next() is the node that pop() would give, or one past all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/huge_pages.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "simulate/cores/index_set.hpp"
#include "simulate/cores/level_ranks.hpp"

namespace foretask::simulate {

// Smallest index first.
class FifoQueue {
 public:
  static constexpr bool kOrdered = false;
  explicit FifoQueue(std::size_t count) : nodes_(count) {}
  [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }
  void push(analysis::NodeIndex node) noexcept { nodes_.insert(node); }
  analysis::NodeIndex pop() noexcept { return nodes_.pop(); }
  [[nodiscard]] analysis::NodeIndex next() const noexcept {
    return nodes_.empty() ? analysis::kNoNode : nodes_.first();
  }
  void prefetch(analysis::NodeIndex) const noexcept {}

 private:
  IndexSet nodes_;
};

// Largest bottom level first, ties by index.
class CriticalPathQueue {
 public:
  static constexpr bool kOrdered = false;
  explicit CriticalPathQueue(LevelRanks ranks)
      : rank_of_(std::move(ranks.rank_of)), node_at_(std::move(ranks.node_at)), ranks_(rank_of_.size()) {}
  [[nodiscard]] bool empty() const noexcept { return ranks_.empty(); }
  void push(analysis::NodeIndex node) noexcept { ranks_.insert(rank_of_[node]); }
  analysis::NodeIndex pop() noexcept { return node_at_[ranks_.pop()]; }
  [[nodiscard]] analysis::NodeIndex next() const noexcept {
    return ranks_.empty() ? analysis::kNoNode : node_at_[ranks_.first()];
  }
  void prefetch(analysis::NodeIndex node) const noexcept { __builtin_prefetch(rank_of_.data() + node); }

 private:
  base::PagedVector<std::uint32_t> rank_of_;
  base::PagedVector<analysis::NodeIndex> node_at_;
  IndexSet ranks_;
};

// First ready, first out. A node comes once, so that the places need no wrapping round.
class ReadyFifoQueue {
 public:
  static constexpr bool kOrdered = true;
  explicit ReadyFifoQueue(std::size_t count) : nodes_(count) {}
  [[nodiscard]] bool empty() const noexcept { return first_ == behind_; }
  void push(analysis::NodeIndex node) noexcept { nodes_[behind_++] = node; }
  analysis::NodeIndex pop() noexcept { return nodes_[first_++]; }
  [[nodiscard]] analysis::NodeIndex next() const noexcept { return empty() ? analysis::kNoNode : nodes_[first_]; }
  void prefetch(analysis::NodeIndex) const noexcept {}

 private:
  base::PagedVector<analysis::NodeIndex> nodes_;
  std::size_t first_ = 0;
  std::size_t behind_ = 0;
};

// Last ready, first out.
class LifoQueue {
 public:
  static constexpr bool kOrdered = true;
  [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }
  void push(analysis::NodeIndex node) { nodes_.push_back(node); }
  analysis::NodeIndex pop() noexcept {
    const analysis::NodeIndex node = nodes_.back();
    nodes_.pop_back();
    return node;
  }
  [[nodiscard]] analysis::NodeIndex next() const noexcept { return empty() ? analysis::kNoNode : nodes_.back(); }
  void prefetch(analysis::NodeIndex) const noexcept {}

 private:
  std::vector<analysis::NodeIndex> nodes_;
};

// By priority, largest first, those of one priority in order of becoming ready. One list a priority that occurs, and a
// set of the lists that hold any.
class PriorityQueue {
 public:
  static constexpr bool kOrdered = true;
  // `priority` empty: all `count` nodes have the same.
  PriorityQueue(std::span<const std::int64_t> priority, std::size_t count)
      : PriorityQueue(places_of(priority), count) {}

  [[nodiscard]] bool empty() const noexcept { return filled_.empty(); }
  void push(analysis::NodeIndex node) noexcept {
    const std::uint32_t place = list_of(node);
    List& list = lists_[place];
    next_[node] = analysis::kNoNode;
    if (list.size++ == 0) {
      list.first = node;
      filled_.insert(place);
    } else {
      next_[list.last] = node;
    }
    list.last = node;
  }
  analysis::NodeIndex pop() noexcept {
    List& list = lists_[filled_.first()];
    const analysis::NodeIndex node = list.first;
    list.first = next_[node];
    if (--list.size == 0) filled_.pop();
    return node;
  }
  [[nodiscard]] analysis::NodeIndex next() const noexcept {
    return empty() ? analysis::kNoNode : lists_[filled_.first()].first;
  }
  void prefetch(analysis::NodeIndex node) const noexcept { __builtin_prefetch(next_.data() + node, 1); }

 private:
  struct List {
    analysis::NodeIndex first;
    analysis::NodeIndex last;
    std::uint32_t size;
  };
  struct Places {
    base::PagedVector<std::uint32_t> of_node;  // empty: all are in list 0
    std::size_t lists = 1;
  };
  static Places places_of(std::span<const std::int64_t> priority) {
    if (priority.empty()) return {};
    const auto [lowest, highest] = std::minmax_element(priority.begin(), priority.end());
    // The difference of any two fits an unsigned 64-bit number.
    const auto below_highest = [top = static_cast<std::uint64_t>(*highest)](std::int64_t value) {
      return top - static_cast<std::uint64_t>(value);
    };
    Places places{base::PagedVector<std::uint32_t>(priority.size())};
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
  PriorityQueue(Places places, std::size_t count)
      : place_of_(std::move(places.of_node)), lists_(places.lists), next_(count), filled_(places.lists) {}

  [[nodiscard]] std::uint32_t list_of(analysis::NodeIndex node) const noexcept {
    return place_of_.size() == 0 ? 0 : place_of_[node];
  }

  base::PagedVector<std::uint32_t> place_of_;
  base::PagedVector<List> lists_;                // largest priority first
  base::PagedVector<analysis::NodeIndex> next_;  // of the same list
  IndexSet filled_;
};

}  // namespace foretask::simulate
