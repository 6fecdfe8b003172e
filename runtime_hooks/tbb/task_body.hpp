// SPDX-License-Identifier: Apache-2.0
// What of the user's a task calls, where its class does not tell: a filter of a pipeline, the body of a flow graph's
// node, a function by its pointer. The layouts are those of abi.hpp's versions. A pointer is followed only after a look
// at what it points to, by the system: where it is something else, the task is called after its class.
#pragma once

#include <atomic>
#include <cstdint>

#include "abi.hpp"

namespace foretask::tbb {

// What is known of a class of tasks beyond its functions, by the name of its type: templates of oneTBB's headers, and
// the pipeline's task within libtbb. Looked at once a class.
struct TaskClass {
  enum class Kind : std::uint8_t {
    kPlain,
    kFedItem,   // an item that the body of parallel_for_each has fed
    kLoop,      // a part of a blocked_range of integers or pointers
    kFunction,  // calls a function by its pointer
    kStage,     // a filter of a pipeline, for one item
    kNode       // the body of a flow graph's node, for one message
  };
  Kind kind = Kind::kPlain;
  std::uint8_t index_bytes = 0;  // of a loop's index
  bool index_is_signed = false;
  std::uint8_t element_bytes = 1;  // of a loop over pointers: what one points to
  std::uint8_t first_word = 0;     // of a task, in words from its begin: where the function's address may be
  std::uint8_t last_word = 0;
};

// `name`: the type's linker name; null in a program without type information.
[[nodiscard]] TaskClass task_class_of(const char* name) noexcept;

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
