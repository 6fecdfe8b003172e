// SPDX-License-Identifier: Apache-2.0
// What a recording says of its parallel loops, and of a recursive program's parts, summed up by kernel.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "graph/reconstruction/recorded_graph.hpp"
#include "graph/team_shares.hpp"
#include "trace/trace_folder.hpp"

namespace foretask::wiring {

// Why the threads of a loop waited for the slowest of them, over all its executions.
class WaitCauses {
 public:
  // An execution by `threads` threads. `waited_ns`: what is to be explained of it.
  void add(const analysis::TeamWork& team, const analysis::TeamLoop& loop, std::span<const graph::TeamShare> shares,
           std::uint32_t threads, double waited_ns);

  // Empty where nothing was waited, or more than 5 % of it in executions whose iterations were not all seen: cut, lost,
  // or of a schedule that shows none. Below that the others' causes stand for all.
  [[nodiscard]] std::optional<analysis::WaitCauses> result() const;

 private:
  // Executions that divide as many iterations among as many threads in the same way.
  struct Division {
    std::uint64_t iterations = 0;
    std::uint32_t threads = 0;
    analysis::LoopSchedule schedule = analysis::LoopSchedule::kStatic;
    std::uint64_t chunk = 0;

    auto operator<=>(const Division&) const = default;
  };
  struct Executions {
    std::uint64_t count = 0;
    std::array<std::vector<double>, 2> ns;  // of each thread, summed over every second execution
    double waited_ns = 0;
    double missing_ns = 0;  // what the other threads' times lack of the slowest's, summed
    double numbers_ns = 0;  // of it: for the numbers of iterations alone
    double chunks_ns = 0;   // of it: as much as the longest chunk explains
  };

  // Of a static loop: what the same threads lack in every execution.
  static double always_missing_ns(const Executions& executions);

  std::map<Division, Executions> divisions_;
  double waited_ns_ = 0;
  double unknown_ns_ = 0;  // of it: of executions whose iterations were not all seen
};

// By kernel, most work first. `shares`: of the strands' durations. `names`: of the graph's kernels.
[[nodiscard]] std::vector<analysis::LoopSummary> loop_summaries(const graph::RecordedGraph& graph,
                                                                const graph::TeamShares& shares,
                                                                const std::vector<std::string>& names);

// What foretask decided of the parts: tasks, or calls.
[[nodiscard]] std::vector<analysis::GranularitySummary> granularity_summaries(const graph::RecordedGraph& graph,
                                                                              const trace::TraceFolder& trace);

}  // namespace foretask::wiring
