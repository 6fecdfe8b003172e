// SPDX-License-Identifier: Apache-2.0
// Taskloops of programs that GCC built, in front of LLVM's runtime where that stands in for GCC's: of those that count
// down, or have no iteration, LLVM's (14 to 19) makes the wrong iterations, or none, or ends the program. Here they
// become loops that count iterations up. The others go on to LLVM's as they are. The launcher preloads this library for
// programs that call these functions.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#include "gomp_calls.hpp"

namespace {

using foretask::next_symbol;
using foretask::ompt::count_down;

// As libgomp's interface has them.
constexpr unsigned kUp = 1U << 8;
constexpr unsigned kNoGroup = 1U << 11;
constexpr unsigned kReduction = 1U << 12;

using TaskFunction = void (*)(void*);
using CopyFunction = void (*)(void*, void*);
template <typename Number>
using Taskloop = void (*)(TaskFunction, void*, CopyFunction, long, long, unsigned, unsigned long, int, Number, Number,
                          Number);

// What a task gets in the place of the program's data, which lie `offset` bytes behind it. The runtime writes the
// task's iterations into the first two members, before or after it copies the rest, and reads the third.
template <typename Number>
struct Task {
  Number begin;
  Number end;
  void* reductions;
  TaskFunction function;
  CopyFunction copy;  // of the program's data; null: their bytes
  void* original;     // where they are not copied yet; else null
  std::size_t offset;
  Number first;
  Number step;

  [[nodiscard]] void* data() noexcept {
    return original != nullptr ? original : reinterpret_cast<std::byte*>(this) + offset;
  }
};

template <typename Number>
void run_task(void* argument) {
  auto& task = *static_cast<Task<Number>*>(argument);
  using Unsigned = std::make_unsigned_t<Number>;  // modulo 2^64, as the program's own counting
  const auto at = [&task](Number i) {
    return static_cast<Number>(static_cast<Unsigned>(task.first) +
                               static_cast<Unsigned>(i) * static_cast<Unsigned>(task.step));
  };
  auto* const bounds = static_cast<Number*>(task.data());
  bounds[0] = at(task.begin);
  bounds[1] = at(task.end);
  task.function(bounds);
}

template <typename Number>
void copy_task(void* to, void* from) {
  auto& source = *static_cast<Task<Number>*>(from);
  auto& target = *static_cast<Task<Number>*>(to);
  constexpr std::size_t kBounds = 2 * sizeof(Number);
  std::memcpy(static_cast<std::byte*>(to) + kBounds, static_cast<std::byte*>(from) + kBounds, sizeof source - kBounds);
  target.original = nullptr;
  source.copy(target.data(), source.data());
}

template <typename Number>
void* reductions_of(const void* data) {
  void* reductions = nullptr;
  std::memcpy(&reductions, static_cast<const Number*>(data) + 2, sizeof reductions);
  return reductions;
}

template <typename Number>
void taskloop(Taskloop<Number> runtime, TaskFunction function, void* data, CopyFunction copy, long bytes,
              long alignment, unsigned flags, unsigned long tasks, int priority, Number start, Number end,
              Number step) {
  const bool counts_up = (flags & kUp) != 0;
  // A negative step of 32 bits may come without its sign.
  if (!counts_up && static_cast<std::int64_t>(step) > 0) step = static_cast<Number>(static_cast<std::int32_t>(step));
  const std::uint64_t count = counts_up ? 0 : count_down(start, end, step);
  if (counts_up ? start >= end : count == 0) {
    // The program goes on to add up what its tasks found, of none as well.
    if ((flags & (kNoGroup | kReduction)) != kReduction) return;
    next_symbol<void (*)()>("GOMP_taskgroup_start")();
    next_symbol<TaskFunction>("GOMP_taskgroup_reduction_register")(reductions_of<Number>(data));
    next_symbol<void (*)()>("GOMP_taskgroup_end")();
    return;
  }
  const std::size_t align = alignment > static_cast<long>(alignof(std::max_align_t))
                                ? static_cast<std::size_t>(alignment)
                                : alignof(std::max_align_t);
  const std::size_t offset = (sizeof(Task<Number>) + align - 1) / align * align;
  void* const memory =
      std::aligned_alloc(align, (offset + static_cast<std::size_t>(bytes) + align - 1) / align * align);
  if (memory == nullptr) std::abort();  // as the runtime itself without memory
  auto* const task = new (memory) Task<Number>{.begin = 0,
                                               .end = 0,
                                               .reductions = nullptr,
                                               .function = function,
                                               .copy = copy,
                                               .original = copy != nullptr ? data : nullptr,
                                               .offset = offset,
                                               .first = start,
                                               .step = step};
  if ((flags & kReduction) != 0) task->reductions = reductions_of<Number>(data);
  if (copy == nullptr) std::memcpy(task->data(), data, static_cast<std::size_t>(bytes));
  runtime(run_task<Number>, task, copy != nullptr ? copy_task<Number> : nullptr, static_cast<long>(offset) + bytes,
          static_cast<long>(align), flags | kUp, tasks, priority, Number{0}, static_cast<Number>(count), Number{1});
  std::free(memory);
}

}  // namespace

// Each goes on by a jump where nothing is wrong, so that LLVM's sees the construct's own address.
extern "C" {

__attribute__((visibility("default"))) void GOMP_taskloop(TaskFunction function, void* data, CopyFunction copy,
                                                          long bytes, long alignment, unsigned flags,
                                                          unsigned long tasks, int priority, long start, long end,
                                                          long step) {
  static const auto runtime = next_symbol<Taskloop<long>>("GOMP_taskloop");
  if ((flags & kUp) != 0 && start < end)
    return runtime(function, data, copy, bytes, alignment, flags, tasks, priority, start, end, step);
  taskloop(runtime, function, data, copy, bytes, alignment, flags, tasks, priority, start, end, step);
}

__attribute__((visibility("default"))) void GOMP_taskloop_ull(TaskFunction function, void* data, CopyFunction copy,
                                                              long bytes, long alignment, unsigned flags,
                                                              unsigned long tasks, int priority,
                                                              unsigned long long start, unsigned long long end,
                                                              unsigned long long step) {
  static const auto runtime = next_symbol<Taskloop<unsigned long long>>("GOMP_taskloop_ull");
  if ((flags & kUp) != 0 && start < end)
    return runtime(function, data, copy, bytes, alignment, flags, tasks, priority, start, end, step);
  taskloop(runtime, function, data, copy, bytes, alignment, flags, tasks, priority, start, end, step);
}

}  // extern "C"
