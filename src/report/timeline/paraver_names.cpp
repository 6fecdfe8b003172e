// SPDX-License-Identifier: Apache-2.0
// The .pcf and the .row: what numbers and rows are called.
#include <fmt/format.h>

#include "report/plain_text.hpp"
#include "report/timeline/paraver.hpp"

namespace foretask::report {
void ParaverTrace::write_names(Output& output) const {
  output.write(
      "DEFAULT_OPTIONS\n\n"
      "LEVEL               THREAD\n"
      "UNITS               NANOSEC\n"
      "LOOK_BACK           100\n"
      "SPEED               1\n"
      "FLAG_ICONS          ENABLED\n"
      "NUM_OF_STATE_COLORS 1000\n"
      "YMAX_SCALE          37\n\n\n"
      "DEFAULT_SEMANTIC\n\n"
      "THREAD_FUNC          State As Is\n\n\n"
      "STATES\n"
      "0    Idle\n"
      "1    Running\n\n\n"
      "STATES_COLOR\n"
      "0    {117,195,255}\n"
      "1    {0,0,255}\n\n\n");
  output.write(fmt::format("EVENT_TYPE\n0    {}    Kernel\nVALUES\n0    End\n", kParaverKernelEvent));
  for (std::size_t kernel = 0; kernel < graph_.kernel_names.size(); ++kernel)
    output.write(fmt::format("{}    {}\n", kernel + 1, one_line(graph_.kernel_names[kernel])));
  output.write(fmt::format("\n\nEVENT_TYPE\n0    {}    Task\n\n", kParaverTaskEvent));
  if (loops_.shares().empty()) return;
  output.write(fmt::format(
      "\nEVENT_TYPE\n0    {}    Loop\nVALUES\n0    End\n{}    static\n{}    static with chunks\n{}    dynamic\n"
      "{}    guided\n{}    unknown schedule\n\n",
      kParaverLoopEvent, static_cast<int>(ParaverSchedule::kStatic), static_cast<int>(ParaverSchedule::kStaticChunked),
      static_cast<int>(ParaverSchedule::kDynamic), static_cast<int>(ParaverSchedule::kGuided),
      static_cast<int>(ParaverSchedule::kUnknown)));
  output.write(
      fmt::format("\nEVENT_TYPE\n0    {}    First iteration of the piece, from 1\n\n", kParaverIterationEvent));
  output.write(fmt::format("\nEVENT_TYPE\n0    {}    Iterations of the piece\n\n", kParaverPieceEvent));
}

void ParaverTrace::write_rows(Output& output) const {
  const bool has_ranks = ranks_.size() > 1;
  if (!timeline_.is_one_pool || !has_ranks) {
    output.write(fmt::format("LEVEL CPU SIZE {}\n", rows_.size()));
    for (const Row& row : rows_) output.write(fmt::format("core {}.{}\n", ranks_[row.rank], row.worker));
  }
  output.write(fmt::format("\nLEVEL TASK SIZE {}\n", ranks_.size()));
  for (const std::uint32_t rank : ranks_)
    output.write(has_ranks ? fmt::format("rank {}\n", rank) : fmt::format("{}\n", one_line(timeline_.program)));
  output.write(fmt::format("\nLEVEL THREAD SIZE {}\n", rows_.size()));
  for (const Row& row : rows_) {
    output.write(has_ranks ? fmt::format("rank {} worker {}\n", ranks_[row.rank], row.worker)
                           : fmt::format("worker {}\n", row.worker));
  }
}

}  // namespace foretask::report
