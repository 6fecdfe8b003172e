// SPDX-License-Identifier: Apache-2.0
// Replay of a task graph on p identical cores. The order of events is fixed (docs/simulator.md), so that two
// implementations agree to the nanosecond. Thread safe: a call only reads the graph.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foretask/analysis/platform.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// kHeft is for platforms alone, kWorkStealing for identical cores alone.
enum class Policy : std::uint8_t { kFifo, kReadyFifo, kLifo, kCriticalPath, kPriority, kWorkStealing, kHeft };

[[nodiscard]] std::string_view policy_name(Policy policy);
[[nodiscard]] std::optional<Policy> policy_from_name(std::string_view name);

// What a work-stealing runtime spends on scheduling, in ns. All zero for a task-graph file; a recording calibrates
// them. The other policies are ideal schedulers and charge nothing.
struct SchedulingCosts {
  std::int64_t create_ns = 0;    // added to a strand that ends by creating a task: serial time in the parent
  std::int64_t dispatch_ns = 0;  // from an idle worker's decision to the start of a task of its own deque
  std::int64_t steal_ns = 0;     // the same for a task taken from another worker's deque
  // Tasks a deque holds before the creator runs the next one itself; 0 means no limit.
  std::uint32_t deque_capacity = 0;
  // Of starting, and at the end stopping, a thread; charged at TaskGraph::team_start for each core more than the
  // recording had workers.
  std::int64_t thread_ns = 0;
  std::uint32_t recorded_workers = 1;
};

struct SimulationOptions {
  // Identical cores; on a platform as many plain cores on every node instead of its own, 0: as the platform says.
  std::uint32_t cores = 1;
  std::shared_ptr<const Platform> platform;  // null: identical cores
  Policy policy = Policy::kCriticalPath;
  SchedulingCosts costs;
  std::uint64_t seed = 1;  // of the random victims
  // Kernel index and factor (> 0): each of its durations is divided by it and rounded to the nearest ns.
  std::vector<std::pair<std::uint32_t, double>> speedups;
  std::vector<std::uint32_t> removed;  // kernels whose tasks take no time at all
  bool keep_schedule = false;
};

inline constexpr std::uint32_t kNoWorker = 0xffffffffU;

struct ScheduledNode {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;   // start_ns and what the node took there: speed-ups, creations, the team's threads included
  std::uint32_t worker = 0;  // kNoWorker: a node with cores 0, which runs on none
};

struct SimulationResult {
  std::int64_t makespan_ns = 0;
  std::int64_t work_ns = 0;             // of the durations in force
  double speedup = 0;                   // work / makespan
  double utilization = 0;               // work of nodes that occupy a worker / (cores * makespan)
  std::vector<ScheduledNode> schedule;  // one a node, when asked for
};

// Replays `graph`. O((nodes + edges) log nodes). Errors: no core, a node that cannot run on a plain core, a factor that
// is not finite and positive, a cycle.
[[nodiscard]] Result<SimulationResult> simulate(const TaskGraph& graph, const SimulationOptions& options);

// Length of the longest path of the durations in force, release times and messages left out, in ns; on a
// platform every node on its fastest class. O(nodes + edges).
// The errors are simulate()'s.
[[nodiscard]] Result<std::int64_t> span_in_force(const TaskGraph& graph, const SimulationOptions& options);

}  // namespace foretask::analysis
