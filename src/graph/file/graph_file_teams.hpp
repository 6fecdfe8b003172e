// SPDX-License-Identifier: Apache-2.0
// Collects what the lines of a task-graph file say of divisible work, then makes phases and loops of it. A file without
// a loop, and without a task that divides, has none: there other programs' notes under the same keys stay unread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "graph/file/graph_file_line.hpp"

namespace foretask::graph {

struct TeamEntry : TeamPlace {
  analysis::NodeIndex task = 0;
  std::uint32_t share = analysis::kNoLoop;  // index into the shares
};

struct FileLoopShare : FileLoop {
  std::uint64_t first_piece = 0;
  std::uint64_t end_piece = 0;
};

class GraphFileTeams {
 public:
  struct Problem {
    std::string what;
    analysis::NodeIndex task = 0;
  };

  // In order of the tasks; of lines that give a key alone. `can_run`: on a plain core.
  void add(analysis::NodeIndex task, bool can_run, const TeamLine& line);

  [[nodiscard]] std::size_t pieces() const noexcept { return pieces_.size(); }

  // Gives `graph` its phases. Its edges must be there. O(entries log entries + pieces log pieces + nodes + edges).
  [[nodiscard]] std::optional<Problem> finish(analysis::TaskGraph& graph);

 private:
  std::vector<TeamEntry> entries_;
  std::vector<FileLoopShare> shares_;
  std::vector<analysis::LoopPiece> pieces_;  // with their thread
  std::optional<Problem> problem_;           // the first
  bool is_divisible_ = false;                // a loop, or a task that divides
};

}  // namespace foretask::graph
