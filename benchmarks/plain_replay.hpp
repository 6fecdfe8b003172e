// SPDX-License-Identifier: Apache-2.0
// The reference that replay_speed measures beside: the plainest scheduler with two heaps, critical path first, for
// graphs numbered topologically without releases.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "foretask/analysis/task_graph.hpp"

namespace foretask::benchmarks {

// Predecessors to wait for and bottom level of each task.
struct PlainState {
  explicit PlainState(const analysis::TaskGraph& graph) : pending(graph.size(), 0), level(graph.size(), 0) {
    for (auto i = static_cast<std::int64_t>(graph.size()) - 1; i >= 0; --i) {
      for (auto e = graph.first_successor[i]; e < graph.first_successor[i + 1]; ++e) {
        ++pending[graph.successors[e]];
        level[i] = std::max(level[i], level[graph.successors[e]]);
      }
      level[i] += graph.duration_ns[i];
    }
  }

  std::vector<int> pending;
  std::vector<std::int64_t> level;
};

inline std::int64_t plain_replay(const analysis::TaskGraph& graph, int cores) {
  const auto count = static_cast<std::int64_t>(graph.size());
  PlainState state(graph);
  std::vector<int>& pending = state.pending;
  const std::vector<std::int64_t>& level = state.level;
  using Entry = std::pair<std::int64_t, std::int64_t>;
  std::priority_queue<Entry> ready;                                         // level, -index
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> finishes;  // time, index
  for (std::int64_t i = 0; i < count; ++i) {
    if (pending[i] == 0) ready.push({level[i], -i});
  }
  std::int64_t now = 0;
  for (;;) {
    for (; cores > 0 && !ready.empty(); --cores) {
      const std::int64_t task = -ready.top().second;
      ready.pop();
      finishes.push({now + graph.duration_ns[task], task});
    }
    if (finishes.empty()) return now;
    for (now = finishes.top().first; !finishes.empty() && finishes.top().first == now; ++cores) {
      const std::int64_t task = finishes.top().second;
      finishes.pop();
      for (auto e = graph.first_successor[task]; e < graph.first_successor[task + 1]; ++e) {
        const std::int64_t next = graph.successors[e];
        if (--pending[next] == 0) ready.push({level[next], -next});
      }
    }
  }
}

}  // namespace foretask::benchmarks
