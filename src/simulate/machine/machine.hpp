// SPDX-License-Identifier: Apache-2.0
// What the parts of a replay on a platform share: the graph, the workers, the times, and where tasks are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "simulate/machine/class_times.hpp"
#include "simulate/machine/machine_layout.hpp"
#include "simulate/network/linear_network.hpp"

namespace foretask::simulate {

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

}  // namespace foretask::simulate
