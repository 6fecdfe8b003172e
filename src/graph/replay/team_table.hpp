// SPDX-License-Identifier: Apache-2.0
// Parallel regions while a trace is replayed: their members and the barriers that these have come to.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graph/replay/task_table.hpp"

namespace foretask::graph {

struct Barrier {
  std::vector<NodeIndex> arrived;  // last strands before it
  NodeIndex join_node = kNoNode;   // made when the first member leaves
  std::uint32_t left = 0;
};

struct Member {
  std::uint32_t task = kNone;
  std::uint32_t barriers_reached = 0;
  std::uint32_t barriers_left = 0;
};

struct Region {
  NodeIndex fork_strand = kNoNode;
  std::uint32_t parent = kNone;  // the task that meets the construct
  std::uint32_t scope = kNone;
  std::uint32_t kernel = 0;
  std::uint32_t team_size = 0;  // 0 until a member begins
  bool ended = false;
  std::vector<Member> members;
  std::vector<Barrier> barriers;  // those that not all members have left: two at most, in a trace that is whole
  std::uint32_t barriers_done = 0;
};

class TeamTable {
 public:
  explicit TeamTable(const TraceCensus& census) {
    std::uint64_t base = 0;
    for (const StreamCensus& stream : census.streams) {
      bases_.push_back(static_cast<std::uint32_t>(base));
      counts_.push_back(stream.regions);
      base += stream.regions;
    }
    regions_.resize(base);
  }

  [[nodiscard]] std::uint32_t index(std::uint32_t stream, std::uint32_t number) {
    if (stream < counts_.size() && number < counts_[stream]) return bases_[stream] + number;
    const std::uint64_t name = static_cast<std::uint64_t>(stream) << 32 | number;
    const auto [found, added] = strays_.try_emplace(name, static_cast<std::uint32_t>(regions_.size()));
    if (added) regions_.emplace_back();
    return found->second;
  }

  Region& operator[](std::uint32_t index) noexcept { return regions_[index]; }

 private:
  std::vector<Region> regions_;
  std::vector<std::uint32_t> bases_;
  std::vector<std::uint32_t> counts_;
  std::unordered_map<std::uint64_t, std::uint32_t> strays_;
};

}  // namespace foretask::graph
