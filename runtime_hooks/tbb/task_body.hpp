// SPDX-License-Identifier: Apache-2.0
// What of the user's a task calls, where its class does not tell: a filter of a pipeline, the body of a flow graph's
// node, a function by its pointer. The layouts are those of abi.hpp's versions. A pointer is followed only after a look
// at what it points to, by the system: where it is something else, the task is called after its class.
#pragma once

#include <atomic>
#include <cstdint>

#include "abi.hpp"
#include "task_class.hpp"

namespace foretask::tbb {

// Of a class of tasks. Any thread: some loads, and some 10 us for the first task of a class or a body.
class TaskBody {
 public:
  explicit TaskBody(const TaskClass& of) noexcept : of_(of) {}

  [[nodiscard]] const TaskClass& task_class() const noexcept { return of_; }
  // The code that a task of this class is called after, as a return address; null: its class's.
  [[nodiscard]] const void* code_of(const Task& task) noexcept;
  // That a task which is a part of a loop has been given. 0: the task's words make no range.
  [[nodiscard]] std::uint64_t iterations_of(const Task& task) const noexcept;

 private:
  [[nodiscard]] const void* code_of_function(const Task& task) const noexcept;
  [[nodiscard]] const void* code_of_object(const Task& task) noexcept;
  [[nodiscard]] std::uint32_t find_place(const Task& task) const noexcept;

  TaskClass of_;
  // Where a task has the pointer to its filter or node, and a node that to its body: a word of each, one more than 0.
  std::atomic<std::uint32_t> place_{0};
};

}  // namespace foretask::tbb
