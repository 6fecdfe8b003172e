// SPDX-License-Identifier: Apache-2.0
#include "simulate/machine/machine.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace foretask::simulate {

using analysis::NodeIndex;
using analysis::TaskGraph;

namespace {

std::string name_of(const TaskGraph& graph, NodeIndex task) {
  std::string name = "task " + std::to_string(graph.id.empty() ? std::int64_t{task} : graph.id[task]);
  const std::string& kernel = graph.kernel_names[graph.kernel[task]];
  return kernel.empty() ? name : name + " (" + kernel + ")";
}

std::string classes_at(const Machine& machine, NodeIndex task) {
  std::vector<std::uint8_t> named(machine.layout.classes.size());
  std::string names;
  for (const WorkerPool& pool : machine.pools_for(task)) {
    if (std::exchange(named[pool.worker_class], 1) != 0) continue;
    names += (names.empty() ? "" : ", ") + machine.layout.classes[pool.worker_class];
  }
  return names;
}

std::string classes_known_for(const Machine& machine, NodeIndex task) {
  const TaskGraph& graph = machine.graph;
  std::string names = graph.duration_ns[task] >= 0 ? analysis::kPlainCore : "";
  for (const analysis::ClassDuration& own : graph.class_durations)
    if (own.node == task) names += (names.empty() ? "" : ", ") + graph.class_names[own.worker_class];
  return names;
}

std::int64_t shortest_ns(const Machine& machine, NodeIndex task) {
  if (!machine.runs_on_worker(task)) return machine.times.fastest_ns(task);
  std::int64_t shortest = analysis::kNoDuration;
  for (const WorkerPool& pool : machine.pools_for(task)) {
    const std::int64_t ns = machine.ns_on(task, pool);
    if (ns >= 0 && (shortest < 0 || ns < shortest)) shortest = ns;
  }
  return shortest;
}

// All work and all messages after one another: no instant is later.
bool fits(const Machine& machine) {
  std::int64_t sum_ns = 0;
  for (std::uint64_t edge = 0; edge < machine.graph.edge_count(); ++edge)
    if (__builtin_add_overflow(sum_ns, machine.message_ns(edge), &sum_ns)) return false;
  return sum_ns <= std::int64_t{1} << 62;
}

}  // namespace

Result<void> check_tasks(const Machine& machine) {
  const TaskGraph& graph = machine.graph;
  const std::uint32_t nodes = machine.layout.nodes();
  for (NodeIndex task = 0; task < graph.size(); ++task) {
    if (machine.own_node(task) >= nodes)
      return Error{name_of(graph, task) + " is placed on node " + std::to_string(machine.own_node(task)) +
                   ", but the platform has " +
                   (nodes == 1 ? "only node 0" : "nodes 0 to " + std::to_string(nodes - 1))};
    if (shortest_ns(machine, task) >= 0) continue;
    if (!machine.runs_on_worker(task)) return Error{name_of(graph, task) + " has no duration"};
    const std::string where = machine.platform.any_node ? "any worker (" + classes_at(machine, task) + ")"
                                                        : "node " + std::to_string(machine.own_node(task)) +
                                                              ", which has " + classes_at(machine, task);
    return Error{name_of(graph, task) + " cannot run on " + where + ": it has durations on " +
                 classes_known_for(machine, task)};
  }
  const bool has_messages = machine.layout.nodes() > 1;
  if (has_messages && !fits(machine)) return Error{"the messages' times do not fit in 62 bits of nanoseconds"};
  return {};
}

std::vector<std::int64_t> machine_levels(const Machine& machine, const std::vector<NodeIndex>& order) {
  const TaskGraph& graph = machine.graph;
  std::vector<std::int64_t> levels(graph.size());
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    std::int64_t longest_ns = 0;
    for (std::uint64_t e = graph.first_successor[*task]; e < graph.first_successor[*task + 1]; ++e) {
      const NodeIndex next = graph.successors[e];
      const bool is_message = machine.own_node(next) != machine.own_node(*task);
      longest_ns = std::max(longest_ns, levels[next] + (is_message ? machine.message_ns(e) : 0));
    }
    levels[*task] = longest_ns + shortest_ns(machine, *task);
  }
  return levels;
}

}  // namespace foretask::simulate
