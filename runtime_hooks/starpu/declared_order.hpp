// SPDX-License-Identifier: Apache-2.0
// The order that the program declares between tasks, or between tags that tasks carry. It may name tasks that are not
// submitted yet: then the order is known when the later of the two is. Any thread; one lock.
#pragma once

#include <starpu.h>

#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "task_names.hpp"

namespace foretask::starpu {

// A task by its address, or a tag.
struct Declared {
  bool is_tag = false;
  std::uint64_t value = 0;
  friend auto operator<=>(const Declared&, const Declared&) = default;
};
[[nodiscard]] inline Declared declared_task(const starpu_task* task) {
  return {false, reinterpret_cast<std::uintptr_t>(task)};
}
[[nodiscard]] inline Declared declared_tag(starpu_tag_t tag) { return {true, tag}; }

// What is known when a task is created; ids of the recording.
struct DeclaredLinks {
  std::vector<std::uint64_t> after;   // tasks created before, that it comes after
  std::vector<std::uint64_t> before;  // tasks created before, that come after it
  std::vector<std::uint64_t> told;    // empty tasks whose order is complete from here on
  std::uint32_t missing = 0;          // tasks that it comes after, and that are not created yet
};

class DeclaredOrder {
 public:
  explicit DeclaredOrder(TaskNames& names) : names_(names) {}

  void declare(Declared later, std::span<const Declared> earlier);
  // `task` has been created under `name`. Its own name is in `told` where it is empty and waits for no other creation.
  [[nodiscard]] DeclaredLinks created(const starpu_task& task, std::uint64_t name, bool is_empty);
  // The id of the task that carries it; 0: none yet.
  [[nodiscard]] std::uint64_t find(starpu_tag_t tag);
  void forget(Declared one);

 private:
  struct Node {
    std::uint64_t name = 0;              // of a tag: the task that carries it
    std::vector<Declared> earlier;       // declared, while it is not created
    std::vector<std::uint64_t> waiting;  // created tasks that come after it
  };
  [[nodiscard]] std::uint64_t name_of(const Declared& one);

  TaskNames& names_;
  std::atomic<bool> is_used_{false};
  std::mutex mutex_;
  std::map<Declared, Node> nodes_;
  std::unordered_map<std::uint64_t, std::uint32_t> untold_;  // empty tasks: how many creations they wait for
};

}  // namespace foretask::starpu
