// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <vector>

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

void write_row(Output& output, const std::string& begin, const PieceTime& time) {
  add(output, "{},{},", begin, time.worker);
  if (time.piece == nullptr)
    add(output, ",,");
  else
    add(output, "{},{},{}", time.piece->first, time.piece->last, time.piece->iterations);
  add(output, ",{},{}\n", time.begin_ns, time.end_ns);
}

}  // namespace

void write_csv(const analysis::TaskGraph& graph, const Places& places, Output& output) {
  std::vector<std::string> kernels;
  for (const std::string& name : graph.kernel_names) kernels.push_back(base::csv_field(name));
  output.write(places ? "task,kernel,worker,begin_ns,end_ns,duration_ns\n" : "task,kernel,duration_ns\n");

  for (analysis::NodeIndex i = 0; i < graph.size() && !output.failed(); ++i) {
    if (!graph.task_of_node.empty())
      add(output, "{},{},", graph.task_of_node[i], kernels[graph.kernel[i]]);
    else
      add(output, "{},{},", graph.id.empty() ? std::int64_t{i} : graph.id[i], kernels[graph.kernel[i]]);
    if (places) {
      const analysis::StrandPlace place = places(i);
      if (place.worker != analysis::kNoWorker) add(output, "{}", place.worker);
      add(output, ",{},{},", place.begin_ns, place.end_ns);
    }
    if (graph.duration_ns[i] != analysis::kNoDuration) add(output, "{}", graph.duration_ns[i]);
    output.write("\n");
  }
}

void write_loop_csv(const Timeline& timeline, Output& output) {
  output.write("loop,name,schedule,iterations,thread,worker,first,last,piece_iterations,begin_ns,end_ns\n");
  RecordedLoops loops(timeline);
  for (const RecordedLoops::Share& share : loops.shares()) {
    if (output.failed()) return;
    const analysis::TeamLoop& loop = timeline.graph.team.loops[share.loop];
    const std::string begin =
        fmt::format("{},{},{},{},{}", share.loop, base::csv_field(timeline.graph.kernel_names[loop.kernel]),
                    base::csv_field(schedule_name(loop)), loop.iterations, share.thread);
    if (share.pieces.empty()) write_row(output, begin, whole(timeline, loops, share));
    for (const PieceTime& time : loops.pieces_of(share)) write_row(output, begin, time);
  }
}

}  // namespace foretask::report
