// SPDX-License-Identifier: Apache-2.0
// What the lines of a written task-graph file say of divisible work: of phases that other numbers of threads divide,
// and of no other. Each task's text in order of index, once: what holds for a loop or a phase stands on its first task.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/analysis/task_graph.hpp"

namespace foretask::graph {

class GraphFileTeamText {
 public:
  // The graph must stay. 4 bytes a node, and some 13 a strand, loop and piece of its teams; none where nothing divides.
  explicit GraphFileTeamText(const analysis::TaskGraph& graph);

  // ", "phase": 3, ..."; empty for a task that is in no such phase. Valid until the next call.
  [[nodiscard]] std::string_view of(analysis::NodeIndex node);

 private:
  struct Phase {
    std::uint32_t strands = 0;
    std::uint32_t threads = 0;  // to be written; 0: as the tasks' threads show, or written already
    bool rest_divides = false;
  };

  void add_phase(const analysis::TeamPhase& phase);
  void write_phase(const analysis::TeamStrand& strand, std::uint32_t number);
  void write_loop(const analysis::TeamStrand& strand);
  void write_pieces(const analysis::TeamLoop& loop, std::uint32_t thread);

  const analysis::TeamWork& team_;
  std::vector<std::uint32_t> strand_of_node_;  // or kNoLoop; empty: nothing divides
  std::vector<std::uint32_t> phase_of_strand_;
  std::vector<Phase> phases_;
  std::vector<std::uint32_t> strands_of_loop_;
  std::vector<bool> is_loop_written_;
  std::vector<bool> is_piece_written_;
  std::string text_;
};

}  // namespace foretask::graph
