// SPDX-License-Identifier: Apache-2.0
// Stand-ins for the vtables of TBB's task classes: a task with one calls this hook where libtbb calls execute or
// cancel. Constructors and destructors of a task set its vtable themselves, so nothing of ours is left behind.
//
//   shadow | two words before | destructors | execute, cancel: ours | further virtual functions | the original |
//                             ^ the task's vtable pointer
#pragma once

#include <array>
#include <cstddef>

#include "abi.hpp"
#include "task_body.hpp"

namespace foretask::tbb {

class Shadow {
 public:
  static constexpr std::size_t kBefore = 2;  // offset to the complete object, type information
  static constexpr std::size_t kAfter = 8;

  // `count`: how many words behind `original` can be read, kAfter at most.
  Shadow(void** original, std::size_t count, TaskFunction execute, TaskFunction cancel) noexcept;

  [[nodiscard]] void** table() noexcept { return words_.data() + kBefore; }
  // A return address is what a creation has: the call is before it.
  [[nodiscard]] const void* code() const noexcept { return static_cast<const char*>(original_[kExecuteSlot]) + 1; }
  [[nodiscard]] TaskClass::Kind kind() const noexcept { return body_.task_class().kind; }
  [[nodiscard]] TaskBody& body() noexcept { return body_; }
  // Another module may have come to where the class's was.
  [[nodiscard]] bool is_of(void* const* table) const noexcept {
    return original_ == table && execute_ == table[kExecuteSlot] && cancel_ == table[kCancelSlot];
  }
  // Of a task that has a shadow's table.
  [[nodiscard]] static void** original_of(const Task& task) noexcept {
    return static_cast<void**>(task.vtable[kAfter]);
  }
  [[nodiscard]] static Shadow& of(const Task& task) noexcept {
    static_assert(offsetof(Shadow, words_) == 0);
    return *reinterpret_cast<Shadow*>(task.vtable - kBefore);
  }

 private:
  std::array<void*, kBefore + kAfter> words_{};
  void** original_;
  void* execute_;
  void* cancel_;
  TaskBody body_;
};

// The shadow of a class, which is made when its first task is. Null where there is no room for more classes. Any
// thread; a hash and a few loads. Lives until the process ends.
[[nodiscard]] Shadow* shadow_of(void** table, TaskFunction execute, TaskFunction cancel) noexcept;

}  // namespace foretask::tbb
