// SPDX-License-Identifier: Apache-2.0
// The order that the program declares between tasks, or between tags that tasks carry. It may name tasks that are not
// submitted yet: then the order is known when the later of the two is. Any thread; one lock.
#pragma once

#include <starpu.h>

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace foretask::starpu {

// The ids that the recording gave StarPU's tasks, from their creation until their memory is another task's. Any thread;
// some 50 ns a call.
class TaskNames {
 public:
  void set(const starpu_task* task, std::uint64_t name) {
    Part& part = part_of(task);
    const std::lock_guard lock(part.mutex);
    part.names[task] = {name, false};
  }
  // 0: it has none.
  [[nodiscard]] std::uint64_t find(const starpu_task* task) {
    Part& part = part_of(task);
    const std::lock_guard lock(part.mutex);
    const auto found = part.names.find(task);
    return found == part.names.end() ? 0 : found->second.name;
  }
  // It begins, perhaps for the second time under this id.
  struct Begun {
    std::uint64_t name = 0;
    bool is_again = false;
  };
  [[nodiscard]] Begun begin(const starpu_task* task) {
    Part& part = part_of(task);
    const std::lock_guard lock(part.mutex);
    const auto found = part.names.find(task);
    if (found == part.names.end()) return {};
    return {found->second.name, std::exchange(found->second.has_begun, true)};
  }
  void erase(const starpu_task* task) {
    Part& part = part_of(task);
    const std::lock_guard lock(part.mutex);
    part.names.erase(task);
  }

 private:
  static constexpr std::size_t kParts = 64;
  struct Known {
    std::uint64_t name = 0;
    bool has_begun = false;
  };
  struct alignas(64) Part {
    std::mutex mutex;
    std::unordered_map<const starpu_task*, Known> names;
  };
  Part& part_of(const starpu_task* task) {
    constexpr std::uintptr_t kTaskBytes = 64;
    return parts_[reinterpret_cast<std::uintptr_t>(task) / kTaskBytes % kParts];
  }

  std::array<Part, kParts> parts_;
};

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
