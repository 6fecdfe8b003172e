// SPDX-License-Identifier: Apache-2.0
// The least that a recorder of oneTBB's tasks can do: the functions that its hook answers for tasks of a task group and
// for waits, a stand-in for the vtable of each class, and floor_buffer.hpp at a creation, a begin, an end, and both
// ends of a wait. What record_cost compares with.
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "floor_buffer.hpp"
#include "tbb/abi.hpp"

namespace {

using foretask::benchmarks::store_event;
using foretask::tbb::Context;
using foretask::tbb::ExecutionData;
using foretask::tbb::kExecuteSlot;
using foretask::tbb::kName;
using foretask::tbb::Task;
using foretask::tbb::TaskFunction;
using foretask::tbb::WaitContext;

constexpr std::size_t kBefore = 2;
constexpr std::size_t kAfter = 6;

struct StandIn {
  void* words[kBefore + kAfter];
  void** original;
  TaskFunction execute;
};

// A class that finds its place taken is not recorded: a load has few.
constexpr std::size_t kPlaces = 256;
std::atomic<StandIn*> places[kPlaces];

void create(Task& task);

Task* run(Task* task, ExecutionData* data) {
  const StandIn& stand_in = *reinterpret_cast<StandIn*>(task->vtable - kBefore);
  const std::uint64_t name = task->reserved[kName];
  store_event(name);
  Task* const next = stand_in.execute(task, data);
  if (next != nullptr) create(*next);
  store_event(name + 1);
  return next;
}

__attribute__((noinline)) StandIn* add(std::atomic<StandIn*>& place, void** table) {
  if (reinterpret_cast<TaskFunction>(table[kExecuteSlot]) == run) return nullptr;
  auto* const made = new StandIn{{}, table, reinterpret_cast<TaskFunction>(table[kExecuteSlot])};
  std::copy_n(table - kBefore, kBefore + kAfter, made->words);
  made->words[kBefore + kExecuteSlot] = reinterpret_cast<void*>(run);
  StandIn* none = nullptr;
  return place.compare_exchange_strong(none, made) ? made : nullptr;
}

void create(Task& task) {
  void** const table = task.vtable;
  std::atomic<StandIn*>& place = places[reinterpret_cast<std::uintptr_t>(table) / 16 % kPlaces];
  StandIn* known = place.load(std::memory_order_acquire);
  if (known == nullptr) known = add(place, table);
  if (known == nullptr || known->original != table) return;
  const std::uint64_t name = reinterpret_cast<std::uintptr_t>(&task);
  store_event(name);
  task.reserved[kName] = name;
  task.vtable = known->words + kBefore;
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

#define FLOOR_ENTRY __attribute__((visibility("default")))

namespace tbb::detail::r1 {

FLOOR_ENTRY void spawn(d1::task& task, d1::task_group_context& context) {
  static auto* const real =
      next<void(Task&, Context&)>("_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE");
  create(task);
  real(task, context);
}

FLOOR_ENTRY void execute_and_wait(d1::task& task, d1::task_group_context& context, d1::wait_context& counter,
                                  d1::task_group_context& waited) {
  static auto* const real = next<void(Task&, Context&, WaitContext&, Context&)>(
      "_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_");
  create(task);
  store_event(1);
  real(task, context, counter, waited);
  store_event(2);
}

FLOOR_ENTRY void wait(d1::wait_context& counter, d1::task_group_context& context) {
  static auto* const real =
      next<void(WaitContext&, Context&)>("_ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE");
  store_event(1);
  real(counter, context);
  store_event(2);
}

}  // namespace tbb::detail::r1
