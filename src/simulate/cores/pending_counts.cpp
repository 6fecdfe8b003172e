// SPDX-License-Identifier: Apache-2.0
#include "simulate/cores/pending_counts.hpp"

namespace foretask::simulate {
namespace {

constexpr std::uint8_t kPortion = 255;

}  // namespace

// 256 = one portion above and 1 in the byte.
void PendingCounts::carry(analysis::NodeIndex node) {
  low_[node] = 1;
  high_[node] += kPortion;
}

bool PendingCounts::refill(analysis::NodeIndex node) noexcept {
  const auto found = high_.find(node);
  if (found == high_.end() || found->second == 0) return false;
  found->second -= kPortion;
  low_[node] = kPortion;
  return true;
}

PendingCounts count_predecessors(const analysis::TaskGraph& graph) {
  PendingCounts pending(graph.size());
  for (const analysis::NodeIndex successor : graph.successors) pending.add(successor);
  return pending;
}

}  // namespace foretask::simulate
