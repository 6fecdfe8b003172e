// SPDX-License-Identifier: Apache-2.0
// HOT: how many predecessors each node still waits for. One byte a node, so that the counts of millions of nodes stay
// in the cache; what a byte does not hold (a barrier that joins a million tasks) waits in a side table in portions of
// 255, and is looked at only when the byte has come down to 0.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/huge_pages.hpp"
#include "foretask/analysis/task_graph.hpp"

namespace foretask::simulate {

class PendingCounts {
 public:
  PendingCounts() = default;
  explicit PendingCounts(std::size_t nodes) : low_(nodes) {}

  void add(analysis::NodeIndex node) {
    if (++low_[node] == 0) [[unlikely]]
      carry(node);
  }
  // True where the node waits for nothing more.
  [[nodiscard]] bool none(analysis::NodeIndex node) const noexcept { return low_[node] == 0; }
  // One predecessor less. True when that was the last.
  bool remove(analysis::NodeIndex node) noexcept {
    if (--low_[node] != 0) return false;
    return high_.empty() || !refill(node);
  }
  void prefetch(analysis::NodeIndex node) const noexcept { __builtin_prefetch(low_.data() + node, 1); }

 private:
  static constexpr std::uint8_t kPortion = 255;

  // Rare, and kept out of the replays' loops. 256 = one portion above and 1 in the byte.
  [[gnu::noinline]] void carry(analysis::NodeIndex node) {
    low_[node] = 1;
    high_[node] += kPortion;
  }
  [[gnu::noinline]] bool refill(analysis::NodeIndex node) noexcept {
    const auto found = high_.find(node);
    if (found == high_.end() || found->second == 0) return false;
    found->second -= kPortion;
    low_[node] = kPortion;
    return true;
  }

  base::PagedVector<std::uint8_t> low_;  // 0 only where nothing is left above
  std::unordered_map<analysis::NodeIndex, std::uint64_t> high_;
};

// Of every node of `graph`.
[[nodiscard]] inline PendingCounts count_predecessors(const analysis::TaskGraph& graph) {
  PendingCounts pending(graph.size());
  for (const analysis::NodeIndex successor : graph.successors) pending.add(successor);
  return pending;
}

}  // namespace foretask::simulate
