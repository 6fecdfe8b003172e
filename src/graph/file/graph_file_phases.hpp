// SPDX-License-Identifier: Apache-2.0
// Phases and loops of a task-graph file, from what its lines say: which tasks share a loop and a phase, and whether
// they agree on it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/file/graph_file_teams.hpp"

namespace foretask::graph {

// All that is given must stay.
class GraphFilePhases {
 public:
  GraphFilePhases(std::span<const TeamEntry> entries, std::span<const FileLoopShare> shares,
                  std::span<const analysis::LoopPiece> pieces)
      : entries_(entries), shares_(shares), pieces_(pieces) {}

  // False where something is wrong: problem() says what.
  [[nodiscard]] bool make(analysis::TaskGraph& graph);
  [[nodiscard]] const std::optional<GraphFileTeams::Problem>& problem() const noexcept { return problem_; }

 private:
  // What the shares of a loop say of it together.
  struct Loop {
    analysis::NodeIndex first_task = 0;
    std::optional<std::int64_t> phase;
    std::optional<FileSchedule> schedule;
    std::optional<std::int64_t> iterations;
    std::optional<std::uint32_t> own_phase;  // index: of a loop that says none
    std::uint64_t pieces = 0;
  };

  struct Phase {
    analysis::NodeIndex first_task = 0;
    std::uint32_t threads = 0;  // as given
    std::uint32_t highest_thread = 0;
    analysis::NodeIndex highest_task = 0;  // that names it
    bool has_loop = false;
    std::optional<bool> rest_divides;
    std::uint64_t strands = 0;
  };

  bool fail(analysis::NodeIndex task, std::string what);
  template <typename Value>
  bool agree(std::optional<Value>& all, const std::optional<Value>& one, const TeamEntry& entry, const char* what);
  bool find_loops(const analysis::TaskGraph& graph);
  bool find_phases();
  std::uint32_t phase_of(const TeamEntry& entry);
  bool add_to_phase(const TeamEntry& entry, Phase& phase);
  bool check_phases();
  bool check_pieces();
  void write_loops(analysis::TaskGraph& graph);
  void write_phases(analysis::TaskGraph& graph) const;

  [[nodiscard]] Loop* loop_of(const TeamEntry& entry) {
    return entry.share == analysis::kNoLoop ? nullptr : &loops_[loop_of_share_[entry.share]];
  }

  std::span<const TeamEntry> entries_;
  std::span<const FileLoopShare> shares_;
  std::span<const analysis::LoopPiece> pieces_;
  std::vector<Loop> loops_;
  std::vector<std::uint32_t> loop_of_share_;
  std::vector<Phase> phases_;
  std::unordered_map<std::int64_t, std::uint32_t> phase_of_number_;
  std::vector<std::uint32_t> phase_of_entry_;
  std::optional<GraphFileTeams::Problem> problem_;
};

}  // namespace foretask::graph
