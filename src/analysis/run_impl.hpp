// SPDX-License-Identifier: Apache-2.0
// What a Run holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/run_report.hpp"
#include "foretask/analysis/run.hpp"
#include "graph/reconstruction/recorded_graph.hpp"
#include "trace/trace_folder.hpp"

namespace foretask::analysis {

struct Run::Impl {
  Report report;
  TaskGraph graph;
  wiring::SpanParts span_parts;
  std::string loss;               // what the recording lacks, in words: dropped events, cut streams; empty: nothing
  trace::TraceFolder trace;       // its streams are closed
  graph::RecordedGraph recorded;  // without what `graph` has taken out of it, such as the edges

  [[nodiscard]] static const Impl& of(const Run& run) { return *run.impl_; }

  // By task, the sum of its strands' times; kNoDuration: it has none on a worker.
  [[nodiscard]] std::vector<std::int64_t> task_times() const;
};

}  // namespace foretask::analysis
