// SPDX-License-Identifier: Apache-2.0
// The ready tasks of each node of a platform, by what may run them: the next one for an idle worker is the smallest key
// among those that a class with an idle worker can run. O(log tasks) a push and pop, O(kinds) a look.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "foretask/analysis/task_graph.hpp"

namespace foretask::simulate {

using ClassMask = std::uint32_t;  // a bit a worker class

// What the policy orders by, smallest first.
struct ReadyKey {
  std::int64_t major = 0;
  std::uint64_t minor = 0;
  friend auto operator<=>(const ReadyKey&, const ReadyKey&) = default;
};

class ReadyTasks {
 public:
  explicit ReadyTasks(std::size_t nodes) : by_node_(nodes) {}

  // `classes`: that can run it.
  void push(std::uint32_t node, ClassMask classes, const ReadyKey& key, analysis::NodeIndex task) {
    for (Kind& kind : by_node_[node]) {
      if (kind.classes != classes) continue;
      kind.tasks.push({key, task});
      return;
    }
    by_node_[node].push_back({classes, {}});
    by_node_[node].back().tasks.push({key, task});
  }

  // The smallest that one of the `idle` classes can run, taken off.
  [[nodiscard]] std::optional<analysis::NodeIndex> pop(std::uint32_t node, ClassMask idle) {
    Kind* first = nullptr;
    for (Kind& kind : by_node_[node]) {
      if ((kind.classes & idle) == 0 || kind.tasks.empty()) continue;
      if (!first || kind.tasks.top() < first->tasks.top()) first = &kind;
    }
    if (!first) return std::nullopt;
    const analysis::NodeIndex task = first->tasks.top().task;
    first->tasks.pop();
    return task;
  }

 private:
  struct Entry {
    ReadyKey key;
    analysis::NodeIndex task = 0;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  struct Kind {
    ClassMask classes = 0;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> tasks;
  };
  std::vector<std::vector<Kind>> by_node_;
};

}  // namespace foretask::simulate
