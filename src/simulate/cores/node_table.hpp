// SPDX-License-Identifier: Apache-2.0
// HOT: where the replay finds a node's duration and successors.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "foretask/analysis/task_graph.hpp"
#include "simulate/cores/page_array.hpp"

namespace foretask::simulate {

// The graph's own arrays: for policies that walk the nodes more or less in order of index.
class GraphNodes {
 public:
  GraphNodes(const analysis::TaskGraph& graph, std::span<const std::int64_t> duration_ns) noexcept
      : duration_ns_(duration_ns.data()), first_(graph.first_successor.data()), successors_(graph.successors.data()) {}

  [[nodiscard]] std::int64_t duration_ns(analysis::NodeIndex node) const noexcept { return duration_ns_[node]; }
  [[nodiscard]] std::span<const analysis::NodeIndex> successors(analysis::NodeIndex node) const noexcept {
    return {successors_ + first_[node], successors_ + first_[node + 1]};
  }
  void prefetch(analysis::NodeIndex node) const noexcept {
    __builtin_prefetch(duration_ns_ + node);
    __builtin_prefetch(first_ + node);
  }
  void prefetch_successors(analysis::NodeIndex node) const noexcept { __builtin_prefetch(successors_ + first_[node]); }

 private:
  const std::int64_t* duration_ns_;
  const std::uint64_t* first_;
  const analysis::NodeIndex* successors_;
};

// Both in 8 bytes a node, which share a cache line: for the critical-path policy, which jumps about.
class CompactNodes {
 public:
  CompactNodes(const analysis::TaskGraph& graph, std::span<const std::int64_t> duration_ns)
      : entries_(graph.size() + 1), successors_(graph.successors.data()) {
    for (std::size_t i = 0; i < graph.size(); ++i) {
      entries_[i] = {static_cast<std::uint32_t>(duration_ns[i]), static_cast<std::uint32_t>(graph.first_successor[i])};
    }
    entries_[graph.size()].first = static_cast<std::uint32_t>(graph.edge_count());
  }

  // Whether everything is small enough: durations below 4.29 s, fewer than 2^32 edges.
  [[nodiscard]] static bool fits(const analysis::TaskGraph& graph, std::int64_t longest_ns) noexcept {
    constexpr auto kLimit = std::numeric_limits<std::uint32_t>::max();
    return longest_ns <= std::int64_t{kLimit} && graph.edge_count() <= kLimit;
  }

  [[nodiscard]] std::int64_t duration_ns(analysis::NodeIndex node) const noexcept { return entries_[node].duration_ns; }
  [[nodiscard]] std::span<const analysis::NodeIndex> successors(analysis::NodeIndex node) const noexcept {
    return {successors_ + entries_[node].first, successors_ + entries_[node + 1].first};
  }
  void prefetch(analysis::NodeIndex node) const noexcept { __builtin_prefetch(entries_.data() + node); }
  void prefetch_successors(analysis::NodeIndex node) const noexcept {
    __builtin_prefetch(successors_ + entries_[node].first);
  }

 private:
  struct Entry {
    std::uint32_t duration_ns;
    std::uint32_t first;
  };

  PageArray<Entry> entries_;  // and one behind the last
  const analysis::NodeIndex* successors_;
};

}  // namespace foretask::simulate
