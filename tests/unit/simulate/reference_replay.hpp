// SPDX-License-Identifier: Apache-2.0
// The documented order of events, word for word, with lists and linear searches: slow and plain. It shares no code
// with src/simulate and is what the fast replay is compared with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

#include "foretask/analysis/simulate.hpp"

namespace reference {

struct Task {
  std::int64_t duration = 0;
  std::int64_t release = 0;
  std::int64_t priority = 0;
  int cores = 1;
  std::vector<int> after;  // indices
};

inline std::int64_t bottom_level(const std::vector<Task>& tasks, int task) {
  std::int64_t longest = 0;
  for (int other = 0; other < static_cast<int>(tasks.size()); ++other) {
    const auto& after = tasks[other].after;
    if (std::count(after.begin(), after.end(), task) != 0) longest = std::max(longest, bottom_level(tasks, other));
  }
  return longest + tasks[task].duration;
}

inline std::int64_t makespan(const std::vector<Task>& tasks, int cores, foretask::analysis::Policy policy) {
  using foretask::analysis::Policy;
  using Event = std::tuple<std::int64_t, int, int>;  // time, 0 finish or 1 release, task: compares as the rule says
  using Key = std::tuple<std::int64_t, std::int64_t>;
  const int count = static_cast<int>(tasks.size());
  std::vector<Event> pending;
  std::vector<std::tuple<Key, int>> ready;
  std::vector<std::int64_t> level(count, 0);
  std::vector<bool> finished(count, false);
  std::int64_t becoming_ready = 0;
  std::int64_t last_finish = 0;
  int idle = cores;

  if (policy == Policy::kCriticalPath) {
    for (int task = 0; task < count; ++task) level[task] = bottom_level(tasks, task);
  }
  const auto key_of = [&](int task) -> Key {
    const std::int64_t order = becoming_ready++;
    switch (policy) {
      case Policy::kFifo:
        return {task, 0};
      case Policy::kReadyFifo:
        return {order, 0};
      case Policy::kLifo:
        return {-order, 0};
      case Policy::kCriticalPath:
        return {-level[task], task};
      default:
        return {-tasks[task].priority, order};
    }
  };

  for (int task = 0; task < count; ++task) {
    if (tasks[task].after.empty()) pending.emplace_back(tasks[task].release, 1, task);
  }
  while (!pending.empty()) {
    // 1. The earliest instant; its events one at a time, finishes before releases, each kind in order of task index.
    const std::int64_t now = std::get<0>(*std::min_element(pending.begin(), pending.end()));
    for (;;) {
      const auto next = std::min_element(pending.begin(), pending.end());
      if (next == pending.end() || std::get<0>(*next) != now) break;
      const auto [time, kind, task] = *next;
      pending.erase(next);
      if (kind == 0) {
        finished[task] = true;
        last_finish = now;
        if (tasks[task].cores == 1) ++idle;
        for (int other = 0; other < count; ++other) {
          const auto& after = tasks[other].after;
          if (std::count(after.begin(), after.end(), task) == 0) continue;
          if (!std::all_of(after.begin(), after.end(), [&](int before) { return finished[before]; })) continue;
          pending.emplace_back(std::max(now, tasks[other].release), 1, other);
        }
      } else if (tasks[task].cores == 0) {
        pending.emplace_back(now + tasks[task].duration, 0, task);
      } else {
        ready.emplace_back(key_of(task), task);
      }
    }
    // 2. While a worker is idle and a task is ready, start the ready task with the smallest key.
    while (idle > 0 && !ready.empty()) {
      const auto next = std::min_element(ready.begin(), ready.end());
      const int task = std::get<1>(*next);
      ready.erase(next);
      --idle;
      pending.emplace_back(now + tasks[task].duration, 0, task);
    }
  }
  return last_finish;
}

}  // namespace reference
