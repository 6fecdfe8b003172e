// SPDX-License-Identifier: Apache-2.0
// HOT: the ready nodes by priority, largest first, those of one priority in order of becoming ready. One list a
// priority that occurs, and a set of the lists that hold any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "foretask/analysis/task_graph.hpp"
#include "simulate/cores/index_set.hpp"
#include "simulate/cores/page_array.hpp"

namespace foretask::simulate {

class PriorityQueue {
 public:
  static constexpr bool kOrdered = true;
  // `priority` empty: all `count` nodes have the same.
  PriorityQueue(std::span<const std::int64_t> priority, std::size_t count);

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
    PageArray<std::uint32_t> of_node;  // empty: all are in list 0
    std::size_t lists = 1;
  };
  static Places places_of(std::span<const std::int64_t> priority);
  PriorityQueue(Places places, std::size_t count);

  [[nodiscard]] std::uint32_t list_of(analysis::NodeIndex node) const noexcept {
    return place_of_.size() == 0 ? 0 : place_of_[node];
  }

  PageArray<std::uint32_t> place_of_;
  PageArray<List> lists_;                // largest priority first
  PageArray<analysis::NodeIndex> next_;  // of the same list
  IndexSet filled_;
};

}  // namespace foretask::simulate
