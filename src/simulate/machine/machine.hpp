// SPDX-License-Identifier: Apache-2.0
// What the parts of a replay on a platform share: the graph, the workers, the times, and where tasks are.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "foretask/analysis/platform.hpp"
#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"
#include "simulate/cores/replayer.hpp"
#include "simulate/network/linear_network.hpp"

namespace foretask::simulate {

// Workers of one class on one node.
struct WorkerPool {
  std::uint32_t node = 0;
  std::uint32_t worker_class = 0;  // index into MachineLayout::classes
  std::uint32_t first = 0;         // worker
  std::uint32_t count = 0;
};

// A platform's workers, numbered: node by node, class by class.
struct MachineLayout {
  std::vector<std::string> classes;
  std::vector<WorkerPool> pools;              // by node
  std::vector<std::uint32_t> pools_of_node;   // nodes + 1: where each node's pools begin
  std::vector<std::uint32_t> pool_of_worker;  // one a worker

  [[nodiscard]] std::uint32_t nodes() const noexcept { return static_cast<std::uint32_t>(pools_of_node.size() - 1); }
  [[nodiscard]] std::uint32_t workers() const noexcept { return static_cast<std::uint32_t>(pool_of_worker.size()); }
};

// The distinct classes of a platform in order of mention; plain cores are among them.
[[nodiscard]] std::vector<std::string> classes_of(const analysis::Platform& platform);

// `cores`: so many plain cores on every node instead of the platform's own; 0: as the platform says. Errors: no node,
// no worker, more workers than a replay can have, more than 32 classes, a class named twice on a node.
[[nodiscard]] Result<MachineLayout> layout_of(const analysis::Platform& platform, std::uint32_t cores);

// What each node takes on each class of workers, with the speed-ups in force. 8 bytes a node and class.
class ClassTimes {
 public:
  // Errors: a kernel or a factor that cannot be, times whose sum does not fit 63 bits.
  [[nodiscard]] static Result<ClassTimes> of(const analysis::TaskGraph& graph, const std::vector<std::string>& classes,
                                             const analysis::SimulationOptions& options);

  // HOT. analysis::kNoDuration where it cannot run there.
  [[nodiscard]] std::int64_t ns(analysis::NodeIndex node, std::uint32_t worker_class) const noexcept {
    return by_class_[worker_class][node];
  }
  // On the class that it is fastest on; of a node with cores 0, which no worker runs, the graph's own duration.
  // kNoDuration where there is none.
  [[nodiscard]] std::int64_t fastest_ns(analysis::NodeIndex node) const noexcept { return fastest_[node]; }
  [[nodiscard]] const std::vector<std::int64_t>& fastest() const noexcept { return fastest_; }

 private:
  std::vector<std::vector<std::int64_t>> by_class_;
  std::vector<std::int64_t> fastest_;
};

struct Machine {
  const analysis::TaskGraph& graph;
  const analysis::Platform& platform;
  const MachineLayout& layout;
  const ClassTimes& times;

  [[nodiscard]] bool runs_on_worker(analysis::NodeIndex task) const noexcept { return graph.occupies_worker(task); }
  // Where the graph places a task.
  [[nodiscard]] std::uint32_t own_node(analysis::NodeIndex task) const noexcept {
    return graph.node.empty() || platform.any_node ? 0 : graph.node[task];
  }
  [[nodiscard]] std::int64_t release_ns(analysis::NodeIndex task) const noexcept {
    return graph.release_ns.empty() ? 0 : graph.release_ns[task];
  }
  [[nodiscard]] std::int64_t ns_on(analysis::NodeIndex task, const WorkerPool& pool) const noexcept {
    return times.ns(task, pool.worker_class);
  }
  [[nodiscard]] std::uint64_t bytes_of(std::uint64_t edge) const noexcept {
    return graph.edge_bytes.empty() ? 0 : graph.edge_bytes[edge];
  }
  // What a message takes where nothing is in its way; SimGrid's is not known before it is sent.
  [[nodiscard]] std::int64_t message_ns(std::uint64_t edge) const noexcept {
    return platform.network.latency_ns + transfer_ns(platform.network, bytes_of(edge));
  }
  // The pools that may run the task: of its node, or all where it may run anywhere.
  [[nodiscard]] std::span<const WorkerPool> pools_for(analysis::NodeIndex task) const noexcept {
    if (platform.any_node) return layout.pools;
    const std::uint32_t node = own_node(task);
    const std::uint32_t first = layout.pools_of_node[node];
    return std::span(layout.pools).subspan(first, layout.pools_of_node[node + 1] - first);
  }
};

// Every task has a node and a worker that can run it, and no sum of times passes 63 bits. The error names the task.
[[nodiscard]] Result<void> check_tasks(const Machine& machine);

// A task's shortest time where it may run, plus the longest path behind it with the messages between nodes: the
// critical-path policy's key on a platform. `order`: topological.
[[nodiscard]] std::vector<std::int64_t> machine_levels(const Machine& machine,
                                                       const std::vector<analysis::NodeIndex>& order);

// Replays on a platform. Errors: a policy that platforms do not have, factors and times that cannot be, a cycle.
[[nodiscard]] Result<std::unique_ptr<Replayer>> machine_replay(const analysis::TaskGraph& graph,
                                                               const analysis::SimulationOptions& options);

}  // namespace foretask::simulate
