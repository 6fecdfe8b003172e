// SPDX-License-Identifier: Apache-2.0
// Recordings for tests, written as the program that they would be recorded from: strands, creates, waits, barriers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "foretask/analysis/simulate.hpp"

class Recording {
 public:
  using Node = foretask::analysis::NodeIndex;
  using Kind = foretask::analysis::EdgeKind;
  struct Task {
    std::uint32_t parent;
    Node first;
    Node last;
    bool tied;
    std::vector<std::uint32_t> children;
    std::size_t joined = 0;  // children, the oldest, that a taskwait has waited for
  };

  // A task with one strand, created where `creator` (a strand's node) ends.
  std::uint32_t add_task(std::uint32_t parent, std::int64_t duration, Node creator = foretask::analysis::kNoNode,
                         bool tied = true) {
    const auto task = static_cast<std::uint32_t>(tasks.size());
    tasks.push_back({parent, 0, 0, tied, {}});
    tasks[task].first = tasks[task].last = add_node(task, duration);
    if (creator != foretask::analysis::kNoNode) add_edge(creator, tasks[task].first, Kind::kCreate);
    if (parent != foretask::analysis::kNoNode) tasks[parent].children.push_back(task);
    return task;
  }
  // The task's present strand ends by creating another; it goes on with a strand of `then`.
  std::uint32_t create(std::uint32_t task, std::int64_t duration, std::int64_t then, bool tied = true) {
    const Node creator = tasks[task].last;
    const std::uint32_t child = add_task(task, duration, creator, tied);
    next_strand(task, then);
    return child;
  }
  // The present strand ends by waiting for all children so far.
  Node wait(std::uint32_t task, std::int64_t then) {
    const Node next = next_strand(task, then);
    for (; tasks[task].joined < tasks[task].children.size(); ++tasks[task].joined) {
      add_edge(tasks[tasks[task].children[tasks[task].joined]].last, next, Kind::kJoin);
    }
    return next;
  }
  // The present strands of `members` end at a barrier, which waits for the explicit tasks from `first_task` on as well.
  // Each goes on with a strand of `then`.
  void barrier(const std::vector<std::uint32_t>& members, std::uint32_t first_task, std::int64_t then) {
    const Node node = add_node(members.front(), 0);
    of_no_worker.push_back(node);
    for (const std::uint32_t member : members) add_edge(tasks[member].last, node, Kind::kJoin);
    for (std::uint32_t task = first_task; task < tasks.size(); ++task)
      if (tasks[task].parent != foretask::analysis::kNoNode) add_edge(tasks[task].last, node, Kind::kJoin);
    for (const std::uint32_t member : members) add_edge(node, next_strand(member, then), Kind::kJoin);
  }
  Node next_strand(std::uint32_t task, std::int64_t duration) {
    const Node next = add_node(task, duration);
    add_edge(tasks[task].last, next, Kind::kContinuation);
    tasks[task].last = next;
    return next;
  }
  Node add_node(std::uint32_t task, std::int64_t duration) {
    durations.push_back(duration);
    task_of_node.push_back(task);
    return static_cast<Node>(durations.size() - 1);
  }
  void add_edge(Node from, Node to, Kind kind) { edges.emplace_back(from, to, kind); }

  foretask::analysis::TaskGraph graph() const {
    foretask::analysis::TaskGraph graph;
    graph.duration_ns = durations;
    graph.kernel.assign(durations.size(), 0);
    graph.kernel_names = {"task"};
    graph.task_of_node = task_of_node;
    if (!of_no_worker.empty()) graph.cores.assign(durations.size(), 1);
    for (const Node node : of_no_worker) graph.cores[node] = 0;
    for (const Task& task : tasks) {
      graph.parent_of_task.push_back(task.parent);
      graph.task_is_untied.push_back(task.tied ? 0 : 1);
    }
    auto sorted = edges;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
    graph.first_successor.assign(durations.size() + 1, 0);
    for (const auto& [from, to, kind] : sorted) {
      ++graph.first_successor[from + 1];
      graph.successors.push_back(to);
      graph.edge_kind.push_back(kind);
    }
    for (std::size_t i = 0; i < durations.size(); ++i) graph.first_successor[i + 1] += graph.first_successor[i];
    return graph;
  }

  std::vector<std::int64_t> durations;
  std::vector<std::uint32_t> task_of_node;
  std::vector<std::tuple<Node, Node, Kind>> edges;
  std::vector<Task> tasks;
  std::vector<Node> of_no_worker;
};

struct RandomProgram {
  std::mt19937& random;
  bool untied = false;
  bool dependences = false;

  int below(int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }

  // What a task does once it runs: creates children, whose own bodies come at once, and waits now and then.
  void grow(Recording& run, std::uint32_t task, int depth) {
    for (int steps = depth > 4 ? 0 : below(7); steps > 0 && run.tasks.size() < 60; --steps) {
      if (below(3) == 0) {
        run.wait(task, below(4));
        continue;
      }
      const std::size_t before = run.tasks[task].children.size();
      const auto child = run.create(task, below(6), below(3), !untied || below(2) == 0);
      if (dependences && before > run.tasks[task].joined && below(3) == 0) {
        const auto elder = run.tasks[task].children[before - 1];
        run.add_edge(run.tasks[elder].last, run.tasks[child].first, Recording::Kind::kDependence);
      }
      grow(run, child, depth + 1);
    }
  }

  // A parallel region of a few implicit tasks; between its barriers one of them grows a tree of tasks.
  Recording region() {
    using foretask::analysis::kNoNode;
    Recording run;
    const auto initial = run.add_task(kNoNode, below(4));
    const auto fork = run.tasks[initial].last;
    std::vector<std::uint32_t> team;
    for (int i = 1 + below(3); i > 0; --i) team.push_back(run.add_task(kNoNode, below(4), fork));
    run.next_strand(initial, below(4));  // behind the region
    for (int barriers = 1 + below(2); barriers > 0; --barriers) {
      const std::size_t before = run.tasks.size();
      grow(run, team[static_cast<std::size_t>(below(static_cast<int>(team.size())))], 0);
      barrier(run, team, before);
    }
    for (const auto member : team) {
      run.add_edge(run.tasks[member].last, run.tasks[initial].last, Recording::Kind::kJoin);
    }
    return run;
  }

  // Behind it goes who has met the whole team and every task since `first_task`.
  void barrier(Recording& run, const std::vector<std::uint32_t>& team, std::size_t first_task) {
    std::vector<Recording::Node> arrivals;
    for (const auto member : team) arrivals.push_back(run.tasks[member].last);
    for (const auto member : team) {
      const auto next = run.next_strand(member, below(4));
      for (const auto arrival : arrivals) {
        if (run.task_of_node[arrival] != member) run.add_edge(arrival, next, Recording::Kind::kJoin);
      }
      for (std::size_t task = first_task; task < run.tasks.size(); ++task) {
        run.add_edge(run.tasks[task].last, next, Recording::Kind::kJoin);
      }
    }
  }
};
