// SPDX-License-Identifier: Apache-2.0
// What is known of a class of tasks beyond its functions, by the name of its type: templates of oneTBB's headers, and
// the pipeline's task within libtbb. Looked at once a class.
#pragma once

#include <cstdint>

namespace foretask::tbb {

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

}  // namespace foretask::tbb
