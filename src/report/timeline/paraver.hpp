// SPDX-License-Identifier: Apache-2.0
// A timeline as Paraver's three files: the trace (.prv), the names of its numbers (.pcf) and of its rows (.row). The
// format is that of Paraver's trace manual; docs/exports.md says what stands for what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "report/output.hpp"
#include "report/timeline/recorded_loops.hpp"
#include "report/timeline/timeline.hpp"

namespace foretask::report {

// Event types. Values: a kernel's index + 1 and a task's number + 1; 0 closes.
inline constexpr std::uint32_t kParaverKernelEvent = 7000001;
inline constexpr std::uint32_t kParaverTaskEvent = 7000002;
// Of recorded loops: what the schedule is (ParaverSchedule); a piece's first iteration + 1, and how many it has.
inline constexpr std::uint32_t kParaverLoopEvent = 7000003;
inline constexpr std::uint32_t kParaverIterationEvent = 7000004;
inline constexpr std::uint32_t kParaverPieceEvent = 7000005;

enum class ParaverSchedule : std::uint8_t { kStatic = 1, kStaticChunked, kDynamic, kGuided, kUnknown };

// Sorts the nodes once, for all three files. Some 45 bytes a node, and what RecordedLoops takes, whatever the size of
// the text.
class ParaverTrace {
 public:
  explicit ParaverTrace(const Timeline& timeline);

  // One record a line, in order of time; `made` is the date in the header.
  void write_records(std::time_t made, const analysis::Progress& progress, Output& output);
  void write_names(Output& output) const;
  void write_rows(Output& output) const;

 private:
  using NodeIndex = analysis::NodeIndex;

  // A thread of Paraver's: a worker, of one rank.
  struct Row {
    std::uint32_t rank = 0;    // index into ranks_
    std::uint32_t thread = 1;  // within the rank, from 1
    std::uint32_t cpu = 1;     // of the machine, from 1
    std::uint32_t worker = 0;
    bool has_pieces = false;  // the strand that runs is in a piece of a loop
  };

  void find_ranks();
  void find_rows();
  void put_in_order();

  void write_header(std::time_t made, Output& output);
  void begin(NodeIndex node);
  void end(NodeIndex node);
  void state(const Row& row, std::int64_t begin_ns, std::int64_t end_ns, int state);
  void begin_loop(NodeIndex node);
  void communications(NodeIndex node);

  const Timeline& timeline_;
  const analysis::TaskGraph& graph_;
  std::vector<analysis::StrandPlace> place_;  // clipped: those of a row never overlap
  std::int64_t total_ns_ = 0;
  std::vector<std::uint32_t> ranks_;  // the machine's nodes that something ran on, ascending
  std::vector<Row> rows_;
  std::vector<std::uint32_t> row_of_;  // one a node
  std::vector<NodeIndex> by_begin_;    // those that occupied a worker
  std::vector<NodeIndex> by_end_;      // of them, those that took time
  std::vector<NodeIndex> next_;        // on the same row, of those that took time
  std::vector<NodeIndex> first_;       // of each row
  RecordedLoops loops_;
  // Of the strands that run, the records of pieces to come: begin in ns, row, text. Those of one strand a row at most.
  using LaterPiece = std::tuple<std::int64_t, std::uint32_t, std::string>;
  std::priority_queue<LaterPiece, std::vector<LaterPiece>, std::greater<>> later_pieces_;
  Text text_;  // of the records at hand
};

}  // namespace foretask::report
