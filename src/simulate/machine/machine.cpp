// SPDX-License-Identifier: Apache-2.0
#include "simulate/machine/machine.hpp"

#include <algorithm>
#include <utility>

#include "graph/task_graph_order.hpp"
#include "simulate/cores/durations.hpp"

namespace foretask::simulate {
namespace {

using analysis::kNoDuration;
using analysis::NodeIndex;
using analysis::TaskGraph;

constexpr std::uint32_t kNotThere = 0xffffffffU;

std::uint32_t place_of(const std::vector<std::string>& classes, const std::string& name) {
  const auto found = std::find(classes.begin(), classes.end(), name);
  return found == classes.end() ? kNotThere : static_cast<std::uint32_t>(found - classes.begin());
}

// The longest that each node may take, all after one another behind the latest release: no instant is later, but for
// messages, which have room above.
bool fits(const TaskGraph& graph, const std::vector<std::vector<std::int64_t>>& by_class) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  std::int64_t sum_ns = 0;
  for (const std::int64_t release_ns : graph.release_ns) sum_ns = std::max(sum_ns, release_ns);
  for (std::size_t node = 0; node < graph.size(); ++node) {
    std::int64_t longest_ns = std::max<std::int64_t>(graph.duration_ns[node], 0);
    for (const auto& times : by_class) longest_ns = std::max(longest_ns, times[node]);
    if (__builtin_add_overflow(sum_ns, longest_ns, &sum_ns) || sum_ns > kMost) return false;
  }
  return true;
}

constexpr std::size_t kMostClasses = 32;  // a bit each
constexpr std::uint64_t kMostWorkers = 16'000'000;

// With the number of plain cores asked for.
std::vector<analysis::WorkerGroup> groups_of(const analysis::PlatformNode& node, std::uint32_t cores) {
  std::vector<analysis::WorkerGroup> groups = node.workers;
  if (cores == 0) return groups;
  const auto plain = std::ranges::find(groups, analysis::kPlainCore, &analysis::WorkerGroup::worker_class);
  if (plain != groups.end()) {
    plain->count = cores;
  } else {
    groups.insert(groups.begin(), {analysis::kPlainCore, cores});
  }
  return groups;
}

std::string name_of(const TaskGraph& graph, NodeIndex task) {
  std::string name = graph::task_name(graph, task);
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

Result<ClassTimes> ClassTimes::of(const TaskGraph& graph, const std::vector<std::string>& classes,
                                  const analysis::SimulationOptions& options) {
  const auto factors = factors_in_force(graph, options);
  if (!factors) return factors.error();
  const auto in_force = [&](std::size_t node, std::int64_t duration_ns) {
    if (duration_ns < 0 || factors->empty()) return duration_ns;
    return divided_duration(duration_ns, (*factors)[graph.kernel[node]]);
  };

  ClassTimes times;
  times.by_class_.assign(classes.size(), std::vector<std::int64_t>(graph.size(), kNoDuration));
  if (const std::uint32_t plain = place_of(classes, analysis::kPlainCore); plain != kNotThere) {
    for (std::size_t node = 0; node < graph.size(); ++node)
      times.by_class_[plain][node] = in_force(node, graph.duration_ns[node]);
  }
  std::vector<std::uint32_t> place;  // of the graph's classes among ours
  for (const std::string& name : graph.class_names) place.push_back(place_of(classes, name));
  for (const analysis::ClassDuration& own : graph.class_durations) {
    if (place[own.worker_class] != kNotThere)
      times.by_class_[place[own.worker_class]][own.node] = in_force(own.node, own.duration_ns);
  }
  if (!fits(graph, times.by_class_))
    return Error{.what = "the durations and releases do not fit in 62 bits of nanoseconds"};

  times.fastest_.assign(graph.size(), kNoDuration);
  for (std::size_t node = 0; node < graph.size(); ++node) {
    std::int64_t& fastest = times.fastest_[node];
    if (!graph.cores.empty() && graph.cores[node] == 0 && graph.duration_ns[node] >= 0) {
      fastest = in_force(node, graph.duration_ns[node]);
      continue;
    }
    for (const auto& by_node : times.by_class_) {
      if (by_node[node] >= 0 && (fastest < 0 || by_node[node] < fastest)) fastest = by_node[node];
    }
  }
  return times;
}

std::vector<std::string> classes_of(const analysis::Platform& platform) {
  std::vector<std::string> classes;
  const auto add = [&classes](const std::string& name) {
    if (std::find(classes.begin(), classes.end(), name) == classes.end()) classes.push_back(name);
  };
  for (const analysis::PlatformNode& node : platform.nodes)
    for (const analysis::WorkerGroup& group : node.workers) add(group.worker_class);
  add(analysis::kPlainCore);
  return classes;
}

Result<MachineLayout> layout_of(const analysis::Platform& platform, std::uint32_t cores) {
  if (platform.nodes.empty()) return Error{"the platform has no node"};
  MachineLayout layout{.classes = classes_of(platform)};
  if (layout.classes.size() > kMostClasses)
    return Error{"the platform has more than " + std::to_string(kMostClasses) + " worker classes"};
  std::uint64_t workers = 0;
  for (std::uint32_t node = 0; node < platform.nodes.size(); ++node) {
    layout.pools_of_node.push_back(static_cast<std::uint32_t>(layout.pools.size()));
    const std::uint64_t before = workers;
    std::vector<std::uint32_t> seen;
    for (const analysis::WorkerGroup& group : groups_of(platform.nodes[node], cores)) {
      const std::uint32_t worker_class = place_of(layout.classes, group.worker_class);
      if (std::count(seen.begin(), seen.end(), worker_class) != 0)
        return Error{"node " + std::to_string(node) + " has the worker class '" + group.worker_class + "' twice"};
      seen.push_back(worker_class);
      if (group.count == 0) continue;
      workers += group.count;
      if (workers > kMostWorkers)
        return Error{"the platform has more than " + std::to_string(kMostWorkers) + " workers"};
      layout.pools.push_back({node, worker_class, static_cast<std::uint32_t>(workers - group.count), group.count});
      layout.pool_of_worker.resize(workers, static_cast<std::uint32_t>(layout.pools.size() - 1));
    }
    if (workers == before) return Error{"node " + std::to_string(node) + " has no worker"};
  }
  layout.pools_of_node.push_back(static_cast<std::uint32_t>(layout.pools.size()));
  return layout;
}

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
