// SPDX-License-Identifier: Apache-2.0
// What this hook uses of oneTBB's binary interface. The declarations are our own; the facts are those of oneTBB 2021.8,
// in the files named. tests/integration/record_tbb_test.cpp holds them against the installed library.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "kit/next_function.hpp"

namespace tbb::detail {

namespace d1 {

// include/oneapi/tbb/detail/_task.h: 64 bytes. Constructors clear `reserved`. src/tbb/scheduler_common.h: libtbb uses
// the words 0 and 2 of it.
struct task {
  void** vtable;
  std::uint64_t traits;
  std::uint64_t reserved[6];
};
static_assert(sizeof(task) == 64);

// include/oneapi/tbb/detail/_task.h, task_group_context: 128 bytes. What follows the name is padding, which no
// constructor and no function of libtbb writes.
struct task_group_context {
  unsigned char words_of_libtbb[72];
  std::atomic<std::uint64_t> padding;
};
static_assert(offsetof(task_group_context, padding) == 72);

// include/oneapi/tbb/detail/_task.h: its first word.
struct execution_data {
  task_group_context* context;
};

// include/oneapi/tbb/task_arena.h
class delegate_base {
 public:
  virtual bool operator()() const = 0;
  virtual ~delegate_base() = default;

 protected:
  delegate_base() = default;
  delegate_base(const delegate_base&) = default;
  delegate_base& operator=(const delegate_base&) = default;
};

struct task_arena_base;
struct wait_context;

}  // namespace d1

namespace r1 {

struct arena;
struct suspend_point_type;

}  // namespace r1

}  // namespace tbb::detail

namespace foretask::tbb {

using Task = ::tbb::detail::d1::task;
using Context = ::tbb::detail::d1::task_group_context;
using ExecutionData = ::tbb::detail::d1::execution_data;
using Delegate = ::tbb::detail::d1::delegate_base;
using Arena = ::tbb::detail::d1::task_arena_base;
using WaitContext = ::tbb::detail::d1::wait_context;

// Plugins may each bring a libtbb of their own with dlopen: a function is that of the caller's module.
template <typename Function>
using NextFunction = kit::NextFunction<Function*, kit::kMostModules>;

// Words of Task::reserved that libtbb leaves alone.
inline constexpr std::size_t kName =
    3;  // the recording's id of the task, from its creation to its begin, as the next two
inline constexpr std::size_t kFollowed = 5;  // foretask_hook_task
inline constexpr std::size_t kMarks = 4;

// Of a task's marks. The other bits are the address of the kernel that the program has named its loop.
inline constexpr std::uint64_t kIsLoose = 1;           // it was recorded as one that no group has
inline constexpr std::uint64_t kCountsIterations = 2;  // its kernel has them as a parameter
inline constexpr std::uint64_t kAllMarks = kIsLoose | kCountsIterations;

// A task's vtable (Itanium C++ ABI): two words before it, two destructors, execute, cancel.
inline constexpr std::size_t kExecuteSlot = 2;
inline constexpr std::size_t kCancelSlot = 3;
using TaskFunction = Task* (*)(Task*, ExecutionData*);

}  // namespace foretask::tbb
