// SPDX-License-Identifier: Apache-2.0
// Stand-ins for the vtables of TBB's task classes: a task with one calls this hook where libtbb calls execute or
// cancel. Constructors and destructors of a task set its vtable themselves, so nothing of ours is left behind.
//
//   shadow | two words before | destructors | execute, cancel: ours | further virtual functions |
//                             ^ the task's vtable pointer
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "abi.hpp"
#include "foretask/foretask.h"
#include "kit/code.hpp"
#include "task_body.hpp"

namespace foretask::tbb {

class Shadow {
 public:
  static constexpr std::size_t kBefore = 2;  // offset to the complete object, type information
  static constexpr std::size_t kAfter = 8;

  // `count`: how many words behind `original` can be read, kAfter at most.
  Shadow(void** original, std::size_t count, TaskFunction execute, TaskFunction cancel) noexcept;

  [[nodiscard]] void** table() noexcept { return words_.data() + kBefore; }
  [[nodiscard]] const void* code() const noexcept { return kit::code_of(execute_); }
  [[nodiscard]] TaskFunction execute() const noexcept { return reinterpret_cast<TaskFunction>(execute_); }
  [[nodiscard]] TaskFunction cancel() const noexcept { return reinterpret_cast<TaskFunction>(cancel_); }
  [[nodiscard]] TaskClass::Kind kind() const noexcept { return body_.task_class().kind; }
  [[nodiscard]] TaskBody& body() noexcept { return body_; }
  // Whether the recording has a kernel of its tasks that counts iterations.
  [[nodiscard]] bool has_loop_kernel() const noexcept { return has_loop_kernel_.load(std::memory_order_relaxed); }
  void note_loop_kernel() noexcept { has_loop_kernel_.store(true, std::memory_order_relaxed); }
  // Another module may have come to where the class's was.
  [[nodiscard]] bool is_of(void* const* table) const noexcept {
    return original_ == table && execute_ == table[kExecuteSlot] && cancel_ == table[kCancelSlot];
  }
  // Of a task that has a shadow's table.
  [[nodiscard]] static Shadow& of(const Task& task) noexcept {
    static_assert(offsetof(Shadow, words_) == 0);
    return *reinterpret_cast<Shadow*>(task.vtable - kBefore);
  }
  [[nodiscard]] static void** original_of(const Task& task) noexcept { return of(task).original_; }

 private:
  std::array<void*, kBefore + kAfter> words_{};
  void** original_;
  void* execute_;
  void* cancel_;
  TaskBody body_;
  std::atomic<bool> has_loop_kernel_{false};
};

// By the place of the class's vtable in memory: vtables lie one behind the other. Release when stored, acquire when
// loaded: the shadow's words are there when its pointer is.
inline constexpr std::size_t kShadowPlaces = 1 << 13;
extern std::array<std::atomic<Shadow*>, kShadowPlaces> shadow_places;
[[nodiscard]] inline std::size_t first_shadow_place(void* const* table) noexcept {
  return reinterpret_cast<std::uintptr_t>(table) / (2 * sizeof(void*)) % kShadowPlaces;
}

// The shadow of a class where it is there, and found at once; else null.
[[nodiscard]] inline Shadow* known_shadow(void* const* table) noexcept {
  Shadow* const shadow = shadow_places[first_shadow_place(table)].load(std::memory_order_acquire);
  return shadow && shadow->is_of(table) ? shadow : nullptr;
}

// The shadow of a class, which is made when its first task is. Null where there is no room for more classes. Any
// thread; a hash and a few loads. Lives until the process ends.
[[nodiscard]] Shadow* shadow_of(void** table, TaskFunction execute, TaskFunction cancel) noexcept;

// What a new task's kernel is.
struct TaskKernel {
  const void* code;  // as a return address
  bool counts_iterations = false;
  foretask_kernel* named = nullptr;  // that counts them, where the program has named the task

  [[nodiscard]] std::uint64_t marks() const noexcept {
    return reinterpret_cast<std::uint64_t>(named) | (counts_iterations ? kCountsIterations : 0);
  }
};

// Of a part of a loop the library is told that the next task has iterations: before what creates it is recorded.
[[nodiscard]] TaskKernel kernel_of_new_task_slow(const Task& task, Shadow& shadow) noexcept;
[[nodiscard]] inline TaskKernel kernel_of_new_task(const Task& task, Shadow& shadow) noexcept {
  if (shadow.kind() == TaskClass::Kind::kPlain) [[likely]]
    return {shadow.code()};
  return kernel_of_new_task_slow(task, shadow);
}

}  // namespace foretask::tbb
