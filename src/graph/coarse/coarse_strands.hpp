// SPDX-License-Identifier: Apache-2.0
// Which strands of a recording become one where tasks become calls.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "graph/coarse/calls.hpp"

namespace foretask::graph {

// A strand that is left: neighbouring strands of one task, and what they call.
struct CoarseStrand {
  std::uint32_t head = 0;  // its first and last one before; equal to each other where nothing was joined
  std::uint32_t tail = 0;
  std::int64_t duration_ns = 0;
};

class CoarseStrands {
 public:
  using NodeIndex = analysis::NodeIndex;

  // All must stay. O(strands + edges). Throws std::bad_alloc.
  CoarseStrands(const analysis::TaskGraph& graph, const CallTree& tree, const Calls& calls);

  // In order of their first strands.
  [[nodiscard]] const std::vector<CoarseStrand>& all() const noexcept { return strands_; }
  // Where a strand is now: index into all(); kNoNode of a call's, and of what nobody waits for any more.
  [[nodiscard]] NodeIndex place(NodeIndex node) const noexcept { return place_[node]; }
  // Edges from calls to what is left, as strands before: from the one that calls. By that one.
  [[nodiscard]] const std::vector<std::pair<NodeIndex, NodeIndex>>& from_calls() const noexcept { return from_calls_; }

 private:
  void find_bounds();
  void bound_edges_of(NodeIndex node);
  void bound_edges_of_call(NodeIndex node);
  [[nodiscard]] bool comes_later(NodeIndex next, NodeIndex caller) const;
  void bound_dividing_phases();
  void join_strands();
  [[nodiscard]] bool is_left(NodeIndex node) const { return !calls_.is_call(node) && !calls_.is_settled(node); }
  [[nodiscard]] bool goes_on_in(NodeIndex node, NodeIndex next) const;

  const analysis::TaskGraph& graph_;
  const CallTree& tree_;
  const Calls& calls_;
  std::vector<std::uint8_t> bounds_;  // one a strand
  std::vector<NodeIndex> place_;
  std::vector<CoarseStrand> strands_;
  std::vector<std::pair<NodeIndex, NodeIndex>> from_calls_;
};

}  // namespace foretask::graph
