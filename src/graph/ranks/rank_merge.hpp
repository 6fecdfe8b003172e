// SPDX-License-Identifier: Apache-2.0
// The recorded graphs of an MPI program's ranks as one graph: a message is an edge from the strand that it left to the
// strand that it was waited for in, matched by (source, destination, tag, communicator), the nth sent with the nth
// received; a collective call is edges among the ranks that took part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"
#include "graph/reconstruction/task_facts.hpp"

namespace foretask::graph {

// One rank's. What is pointed to outlives the call.
struct RankGraph {
  const analysis::TaskGraph* graph = nullptr;
  const MessageFacts* messages = nullptr;
  const std::vector<std::int64_t>* begin_ns = nullptr;  // of each node, on the rank's own clock
  bool is_whole = true;  // it came to its end, and lost nothing on the way; else its last calls may be missing
};

// What came of matching the ranks' calls with each other.
struct MatchCounts {
  std::uint64_t messages = 0;
  std::uint64_t message_bytes = 0;
  std::uint64_t collectives = 0;
  std::uint64_t unmatched_sends = 0;      // that nobody received
  std::uint64_t unmatched_receives = 0;   // of ranks that are not whole
  std::uint64_t partial_collectives = 0;  // that ranks which are not whole lack
};

struct MergedRanks : MatchCounts {
  analysis::TaskGraph graph;  // node = rank; nodes are in an order in which every edge leads upwards
};

// `ranks` in their order. Linear in the graphs, n log n in the messages. The error names the ranks that disagree: a
// receive without its send, a collective call that not all members came to, messages that go round in a circle. What a
// rank that is not whole lacks is no error: it orders nothing.
[[nodiscard]] Result<MergedRanks> merge_ranks(const std::vector<RankGraph>& ranks);

}  // namespace foretask::graph
