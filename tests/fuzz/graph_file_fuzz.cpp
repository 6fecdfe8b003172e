// SPDX-License-Identifier: Apache-2.0
// Any bytes as a task-graph file: read or refused, never worse. What is read must replay, and read again when written.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "foretask/analysis/simulate.hpp"
#include "graph/file/graph_file_reader.hpp"

namespace {

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace foretask::analysis;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto graph = foretask::graph::parse_task_graph(text, "input");
  if (!graph) {
    check(graph.error().line > 0, "an error names a line");
    check(!graph.error().message().empty(), "an error says what is wrong");
    return 0;
  }
  bool runs_on_cores = true;
  for (const std::int64_t duration : graph->duration_ns) runs_on_cores &= duration != kNoDuration;
  for (const Policy policy : {Policy::kFifo, Policy::kReadyFifo, Policy::kLifo, Policy::kCriticalPath,
                              Policy::kPriority, Policy::kWorkStealing}) {
    SimulationOptions options;
    options.policy = policy;
    options.cores = 1 + static_cast<std::uint32_t>(size % 3);
    const auto result = simulate(*graph, options);
    check(result.ok() == runs_on_cores, "what is read replays unless it needs another worker class");
    if (result.ok()) {
      // A loop's longest piece may straddle chunks that a replay deals to several threads.
      check(result->makespan_ns >= span_ns(*graph) || !graph->team.phases.empty(), "no makespan below the span");
      check(result->work_ns == work_ns(*graph), "the work is the graph's");
    }
  }
  return 0;
}
