// SPDX-License-Identifier: Apache-2.0
// Replays a task graph on p identical cores, or on a platform. The order of events is fixed (docs/simulator.md): two
// implementations agree to the nanosecond. Thread safe: a call only reads the graph.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foretask/analysis/platform.hpp"
#include "foretask/analysis/scheduling_costs.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// kWorkStealing needs identical cores. kHeft takes them for a platform of one node.
enum class Policy : std::uint8_t { kFifo, kReadyFifo, kLifo, kCriticalPath, kPriority, kWorkStealing, kHeft };

[[nodiscard]] std::string_view policy_name(Policy policy);
[[nodiscard]] std::optional<Policy> policy_from_name(std::string_view name);

// A loop under another schedule than the program's.
struct LoopChange {
  std::uint32_t kernel = 0;
  LoopSchedule schedule = LoopSchedule::kStatic;
  std::uint64_t chunk = 0;  // 0: the schedule's default
};

struct SimulationOptions {
  // Identical cores. On a platform, this many plain cores on every node replace its own; 0: as the platform says.
  std::uint32_t cores = 1;
  std::shared_ptr<const Platform> platform;  // null: identical cores
  Policy policy = Policy::kCriticalPath;
  SchedulingCosts costs;   // of work stealing; other policies are ideal and cost nothing
  std::uint64_t seed = 1;  // of the random victims
  // Kernel index and kernel factor (> 0): durations are divided by it, and rounded to the nearest ns.
  std::vector<std::pair<std::uint32_t, double>> speedups;
  std::vector<std::uint32_t> removed;  // kernels whose tasks take no time
  // Identical cores only, and not with `keep_schedule`. Of a loop named twice the last counts.
  std::vector<LoopChange> loops;
  bool keep_schedule = false;  // of the graph's own nodes: its loops are not divided
};

inline constexpr std::uint32_t kNoWorker = 0xffffffffU;

struct ScheduledNode {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;   // includes kernel factors, creations, the team's threads
  std::uint32_t worker = 0;  // kNoWorker: a node with cores 0
};

struct SimulationResult {
  // Of several replays the median, as the next three and the schedule. No shorter than lock_bound_ns(), but with
  // `keep_schedule`.
  std::int64_t makespan_ns = 0;
  std::int64_t work_ns = 0;             // of the durations in force
  double speedup = 0;                   // work / makespan
  double utilization = 0;               // work on workers / (cores * makespan)
  std::vector<ScheduledNode> schedule;  // one a node, where asked for
  // The makespans of all replays: how many, the shortest and the longest.
  std::uint32_t replays = 1;
  std::int64_t lowest_ns = 0;
  std::int64_t highest_ns = 0;
  bool is_random = false;  // another seed might give another result
};

// The lock of a recording that no number of cores gets around: all that it is held, one thread after another, and what
// the runtime takes to hand it from one to the next. In ns; 0 where there is none, on one core, and under policies but
// work stealing, which are ideal. Kernel factors count. O(TaskGraph::locks).
[[nodiscard]] std::int64_t lock_bound_ns(const TaskGraph& graph, const SimulationOptions& options, std::uint32_t cores);

// Replays `graph`. O((nodes + edges) log nodes). On identical cores, unless the policy is heft, the loops of a
// recording are divided among the cores first (docs/loops.md), but with `keep_schedule`: see graph_on_cores(). That is
// O(parallel phases * cores) more, time and memory. Errors: no core; a node that can run nowhere; no such kernel; a
// factor that is not finite and above 0; negative costs; a policy that does not fit the machine; loops that change
// though they are not divided; a cycle; times beyond 62 bits of ns on a platform, 63 on identical cores; no memory.
[[nodiscard]] Result<SimulationResult> simulate(const TaskGraph& graph, const SimulationOptions& options);

// The graph that a replay of a recording on so many identical cores goes through: loops are divided among them
// (docs/loops.md). Empty where that is the graph itself. A schedule that is kept is of the graph given to simulate(),
// undivided: ask for this one first. `costs`: of handing out chunks; null: none. Errors: no memory.
[[nodiscard]] Result<std::optional<TaskGraph>> graph_on_cores(const TaskGraph& graph, std::uint32_t cores,
                                                              const std::vector<LoopChange>& loops = {},
                                                              const SchedulingCosts* costs = nullptr);

// What differs from the graph.
struct Scenario {
  std::vector<std::pair<std::uint32_t, double>> speedups;  // kernel index, kernel factor
  std::vector<std::uint32_t> removed;                      // kernels whose tasks take no time
  std::vector<LoopChange> loops;
};

// Every scenario on every number of cores.
struct ReplayGrid {
  std::vector<Scenario> scenarios{{}};  // at least one; each comes after what the options change
  std::vector<std::uint32_t> cores;     // at least one; in the place of the options' own
  // Of each, with seeds from the options' own on. 0: an odd number of 15 at most under work stealing, whose chance
  // evens out in a large graph; 1 under the other policies. 1, too, where no seed changes anything.
  std::uint32_t replays = 0;
  std::uint32_t threads = 0;                  // at most; 0: one a processor. Fewer where memory is short
  std::function<void(double done)> progress;  // from any thread, in [0, 1]; may be empty
};

// A row a scenario, with a result a number of cores. What a scenario's replays share (durations, bottom levels, their
// order) is computed once a thread, of a recording with loops once a thread and number of cores. The figures do not
// depend on the threads. Errors: those above, no scenario, no number of cores.
[[nodiscard]] Result<std::vector<std::vector<SimulationResult>>> simulate(const TaskGraph& graph,
                                                                          const SimulationOptions& options,
                                                                          const ReplayGrid& grid);

// What no machine changes.
struct WorkAndSpan {
  std::vector<std::int64_t> kernel_work_ns;  // one a kernel
  std::int64_t span_ns = 0;                  // longest path, without release times and messages
};

// With the kernel factors of `options`. On a platform each node counts on its fastest class. O(nodes + edges). Errors:
// simulate()'s.
[[nodiscard]] Result<WorkAndSpan> work_and_span(const TaskGraph& graph, const SimulationOptions& options);

}  // namespace foretask::analysis
