// SPDX-License-Identifier: Apache-2.0
// Small graphs for tests, from the reference's tasks, and random ones with many simultaneous events.
#pragma once

#include <numeric>
#include <random>
#include <vector>

#include "reference_replay.hpp"

inline foretask::analysis::TaskGraph graph_of(const std::vector<reference::Task>& tasks) {
  using namespace foretask::analysis;
  TaskGraph graph;
  graph.kernel_names = {"a", "b"};
  graph.first_successor = {0};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    graph.duration_ns.push_back(tasks[i].duration);
    graph.kernel.push_back(static_cast<std::uint32_t>(i % 2));
    graph.release_ns.push_back(tasks[i].release);
    graph.priority.push_back(tasks[i].priority);
    graph.cores.push_back(static_cast<std::uint8_t>(tasks[i].cores));
    for (std::size_t other = 0; other < tasks.size(); ++other) {
      const auto& after = tasks[other].after;
      if (std::count(after.begin(), after.end(), static_cast<int>(i)) != 0) {
        graph.successors.push_back(static_cast<NodeIndex>(other));
      }
    }
    graph.first_successor.push_back(graph.successors.size());
  }
  return graph;
}

// Small numbers, so that most instants see several finishes and releases; task indices against or along the edges.
inline std::vector<reference::Task> random_tasks(std::mt19937& random) {
  const auto below = [&random](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  const int count = 1 + below(24);
  const int longest = 1 + below(6);
  const int latest = below(2) == 0 ? 1 : 1 + below(12);
  const int priorities = 1 + below(4);
  const int no_worker_percent = below(3) * 20;
  const int edge_percent = 1 + below(30);
  std::vector<int> place(static_cast<std::size_t>(count));
  std::iota(place.begin(), place.end(), 0);
  if (below(2) == 0) std::shuffle(place.begin(), place.end(), random);
  std::vector<reference::Task> tasks(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    reference::Task& task = tasks[static_cast<std::size_t>(place[i])];
    task.duration = below(longest);
    task.release = below(latest);
    task.priority = below(priorities) - 1;
    task.cores = below(100) < no_worker_percent ? 0 : 1;
    for (int before = 0; before < i; ++before) {
      if (below(100) < edge_percent) task.after.push_back(place[before]);
    }
  }
  return tasks;
}
