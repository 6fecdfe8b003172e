// SPDX-License-Identifier: Apache-2.0
// A task graph, and where its nodes ran, in the formats of other tools. The writers stream: memory grows with the nodes
// by a few bytes, never with the text.
#pragma once

#include <cstddef>
#include <ctime>
#include <string>

#include "foretask/analysis/run.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"
#include "report/output.hpp"
#include "report/timeline/timeline.hpp"

namespace foretask::report {

// RFC 4180, one row a node: task,kernel,worker,begin_ns,end_ns,duration_ns; without places task,kernel,duration_ns. No
// worker where a node ran on none.
void write_csv(const analysis::TaskGraph& graph, const Places& places, Output& output);

// Graphviz. A node shows its kernel and duration; the edges differ by kind. The error is for a graph of more than
// `max_nodes`: no layout of it would come to an end, or be read.
[[nodiscard]] Result<void> write_dot(const analysis::TaskGraph& graph, std::size_t max_nodes, Output& output);

// RFC 4180, a row for each recorded piece of a loop, by loop, thread and time:
// loop,name,schedule,iterations,thread,worker,first,last,piece_iterations,begin_ns,end_ns. A share whose pieces were
// not seen is a row without first, last and piece_iterations. Of a replay there is no row.
void write_loop_csv(const Timeline& timeline, Output& output);

// Trace Event JSON for Perfetto: a track a worker, a slice a strand, arrows for create and dependence edges. Times are
// whole nanoseconds, printed as microseconds with three decimals. Slices of one worker never overlap: where a damaged
// recording says so, the later one is clipped. Only the pieces of a recorded loop lie within its share. What ran on no
// worker in a replay is not shown.
void write_perfetto(const Timeline& timeline, const analysis::Progress& progress, Output& output);

// Paraver's three files: the trace (.prv), with `made` as its date, the names of its numbers (.pcf) and of its rows
// (.row).
void write_paraver(const Timeline& timeline, std::time_t made, const analysis::Progress& progress, Output& records,
                   Output& names, Output& rows);

}  // namespace foretask::report
