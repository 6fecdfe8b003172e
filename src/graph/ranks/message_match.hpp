// SPDX-License-Identifier: Apache-2.0
// Which receive takes which send, and who waits for whom in a collective call: edges between the ranks' graphs.
#pragma once

#include <cstdint>
#include <vector>

#include "foretask/result.hpp"
#include "graph/ranks/rank_merge.hpp"

namespace foretask::graph {

// A node of one rank, or, with rank kJoinRank, a join node that belongs to none.
struct RankNode {
  std::uint32_t rank = 0;
  analysis::NodeIndex node = 0;
};
inline constexpr std::uint32_t kJoinRank = 0xffffffffU;

struct RankEdge {
  RankNode from;
  RankNode to;
  std::uint64_t bytes = 0;
};

struct MatchedMessages : MatchCounts {
  std::vector<RankEdge> edges;
  std::vector<std::uint32_t> joins;  // of each join node, the rank that it is counted with
};

[[nodiscard]] Result<MatchedMessages> match_messages(const std::vector<RankGraph>& ranks);

}  // namespace foretask::graph
