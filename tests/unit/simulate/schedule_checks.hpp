// SPDX-License-Identifier: Apache-2.0
// What every legal schedule has, whoever made it.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "foretask/analysis/simulate.hpp"

// Empty, or what is wrong: a node before a predecessor or its release, or whose end is not its start and the time it
// takes; a worker with two nodes at once; a makespan that is not the last end. `extra_ns` per node: serial costs behind
// its duration.
inline std::string flaw_of(const foretask::analysis::TaskGraph& graph,
                           const foretask::analysis::SimulationResult& result, std::uint32_t cores,
                           const std::vector<std::int64_t>& extra_ns = {}) {
  using Interval = std::tuple<std::uint32_t, std::int64_t, std::int64_t>;
  constexpr std::uint32_t kNone = 0xffffffffU;
  std::vector<Interval> busy;
  std::int64_t last = 0;
  const auto start = [&](std::size_t node) { return result.schedule[node].start_ns; };
  const auto end = [&](std::size_t node) {
    return start(node) + graph.duration_ns[node] + (extra_ns.empty() ? 0 : extra_ns[node]);
  };
  for (std::size_t node = 0; node < graph.size(); ++node) {
    const std::uint32_t worker = result.schedule[node].worker;
    last = std::max(last, end(node));
    if (result.schedule[node].end_ns != end(node)) return "an end that is not the start and the time taken";
    const bool needs_worker = graph.cores.empty() || graph.cores[node] == 1;
    if (needs_worker != (worker != kNone)) return "a node on no worker, or one that needs none on one";
    if (needs_worker && worker >= cores) return "a worker that is not there";
    if (needs_worker && end(node) > start(node)) busy.emplace_back(worker, start(node), end(node));
    if (!graph.release_ns.empty() && start(node) < graph.release_ns[node]) return "a start before the release";
    for (auto e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e) {
      if (start(graph.successors[e]) < end(node)) return "a start before a predecessor's end";
    }
  }
  std::sort(busy.begin(), busy.end());
  for (std::size_t i = 1; i < busy.size(); ++i) {
    if (std::get<0>(busy[i]) == std::get<0>(busy[i - 1]) && std::get<1>(busy[i]) < std::get<2>(busy[i - 1])) {
      return "two nodes at once on worker " + std::to_string(std::get<0>(busy[i]));
    }
  }
  if (last != result.makespan_ns) return "a makespan that is not the last end";
  return {};
}
