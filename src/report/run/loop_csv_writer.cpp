// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>
#include <string>

#include "base/csv_field.hpp"
#include "report/timeline/graph_export.hpp"
#include "report/timeline/recorded_loops.hpp"

namespace foretask::report {
namespace {

// The time of a share that shows no piece.
PieceTime whole(const Timeline& timeline, const RecordedLoops& loops, const RecordedLoops::Share& share) {
  const analysis::StrandPlace first = timeline.places(loops.node_of(share.first));
  const analysis::StrandPlace last = timeline.places(loops.node_of(share.end - 1));
  return {.begin_ns = first.begin_ns, .end_ns = last.end_ns, .worker = first.worker};
}

void append_row(fmt::memory_buffer& rows, const std::string& begin, const PieceTime& time) {
  const auto out = std::back_inserter(rows);
  fmt::format_to(out, "{},{},", begin, time.worker);
  if (time.piece == nullptr) {
    fmt::format_to(out, ",,");
  } else {
    fmt::format_to(out, "{},{},{}", time.piece->first, time.piece->last, time.piece->iterations);
  }
  fmt::format_to(out, ",{},{}\n", time.begin_ns, time.end_ns);
}

}  // namespace

void write_loop_csv(const Timeline& timeline, Output& output) {
  output.write("loop,name,schedule,iterations,thread,worker,first,last,piece_iterations,begin_ns,end_ns\n");
  RecordedLoops loops(timeline);
  fmt::memory_buffer rows;
  for (const RecordedLoops::Share& share : loops.shares()) {
    if (output.failed()) return;
    const analysis::TeamLoop& loop = timeline.graph.team.loops[share.loop];
    const std::string begin =
        fmt::format("{},{},{},{},{}", share.loop, base::csv_field(timeline.graph.kernel_names[loop.kernel]),
                    base::csv_field(schedule_name(loop)), loop.iterations, share.thread);
    rows.clear();
    if (share.pieces.empty()) append_row(rows, begin, whole(timeline, loops, share));
    for (const PieceTime& time : loops.pieces_of(share)) append_row(rows, begin, time);
    output.write({rows.data(), rows.size()});
  }
}

}  // namespace foretask::report
