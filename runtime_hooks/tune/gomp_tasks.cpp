// SPDX-License-Identifier: Apache-2.0
// HOT: tasks of GCC's programs. libgomp runs a task at once whose if clause is false.
#include <algorithm>
#include <array>
#include <cstring>

#include "gomp/dependences.hpp"
#include "gomp/libgomp.hpp"
#include "kit/handover.hpp"
#include "tuning.hpp"

namespace {

using namespace foretask::tune;

using foretask::gomp::Copy;
using foretask::gomp::kDepend;
using foretask::gomp::kFinal;
using foretask::gomp::kMergeable;
using foretask::gomp::kPriority;
using foretask::gomp::kUntied;
using Function = foretask::gomp::Body;

constexpr unsigned kAnyTask = kUntied | kMergeable | kPriority;

// Before the program's data in libgomp's block.
struct Head {
  foretask_tuned_ticket ticket;
  Function function;
  long offset;  // of the data
};

struct Call {
  Head head;
  void* data;
  Copy copy;
  long bytes;
};

void run_taken_up(void* block) {
  Head* const head = static_cast<Head*>(block);
  foretask::taken_over(block);
  const Body body(head->ticket);
  head->function(static_cast<char*>(block) + head->offset);
}

void copy_call(void* to, void* from) {
  auto* const call = static_cast<Call*>(from);
  *static_cast<Head*>(to) = call->head;
  void* const data = static_cast<char*>(to) + call->head.offset;
  if (call->copy != nullptr)
    call->copy(data, call->data);
  else if (call->bytes > 0)
    std::memcpy(data, call->data, static_cast<std::size_t>(call->bytes));
  foretask::handed_over(to);
}

// The priority of a task with dependences.
int priority_of(foretask_tuned_task& creator, const foretask_tuned_code& code, void** depend,
                foretask_tuned_ticket& ticket) {
  // Further ones are not needed to tell it from other tasks.
  std::array<foretask_tuned_access, 64> accesses;
  unsigned count = 0;
  foretask::gomp::for_each_dependence(depend, [&](const void* address, foretask::gomp::Access access) {
    if (count < accesses.size()) accesses[count++] = {address, access != foretask::gomp::Access::kIn ? 1 : 0};
  });
  return foretask_tuned_order(&creator, &code, accesses.data(), count, &ticket);
}

// Out of line: a task that is run at once needs none of its frame.
template <typename Real>
[[gnu::noinline]] void make(Real real, foretask_tuned_task& running, foretask_tuned_code& code, Function function,
                            void* data, Copy copy, long bytes, long align, unsigned flags, void** depend,
                            int priority) {
  Call call;
  call.head.ticket = {nullptr, &code, nullptr, 0};
  if ((flags & (kFinal | kDepend | kPriority)) == kDepend && !has_others.load(std::memory_order_relaxed)) {
    priority = priority_of(running, code, depend, call.head.ticket);
    if (priority > 0) flags |= kPriority;
  }
  // libgomp runs a final task's own tasks at once: it has no ticket, and nothing is decided in it.
  if ((flags & kFinal) == 0) foretask_tuned_make(&running, &code, &call.head.ticket);
  const long own_align = std::max<long>(align, alignof(Head));
  call.head.function = function;
  call.head.offset = (static_cast<long>(sizeof(Head)) + own_align - 1) / own_align * own_align;
  call.data = data;
  call.copy = copy;
  call.bytes = bytes;
  // The hook that records is told whose task it is.
  static const auto record = foretask::kit::find_anywhere<void (*)(const void*, Function, void*, Copy, long, long, bool,
                                                                   unsigned, void**, int, void*)>("foretask_gomp_task");
  const long block_bytes = call.head.offset + bytes;
  if (record != nullptr)
    record(foretask::kit::code_of(function), run_taken_up, &call, copy_call, block_bytes, own_align, true, flags,
           depend, priority, nullptr);
  else
    real(run_taken_up, &call, copy_call, block_bytes, own_align, true, flags, depend, priority, nullptr);
  foretask_tuned_made(&running);
}

}  // namespace

FORETASK_ENTRY void GOMP_task(Function function, void* data, Copy copy, long bytes, long align, bool if_clause,
                              unsigned flags, void** depend, int priority, void* detach) {
  const auto real = FORETASK_NEXT_OF(GOMP_task, __builtin_return_address(0));
  if (__builtin_expect((flags & kPriority) != 0, 0) && drops_priorities()) flags &= ~kPriority;
  const bool may_be = if_clause && (flags & ~(kAnyTask | kDepend | kFinal)) == 0 && tunes();
  if (__builtin_expect(may_be && leaves_alone(), 0)) count_left_alone();
  foretask_tuned_task* const running = may_be ? running_task() : nullptr;
  foretask_tuned_code* const code = running ? code_at(reinterpret_cast<const void*>(function)) : nullptr;
  if (!code) {
    see_other();
    return real(function, data, copy, bytes, align, if_clause, flags, depend, priority, detach);
  }
  const bool waits = (flags & kDepend) != 0 && !comes_after_none(*running);
  const int is_called = (flags & kFinal) == 0 && !waits ? calls(*running, *code) : 0;
  if (is_called != 1) {
    if (is_called == 2) foretask_tuned_would_call();
    return make(real, *running, *code, function, data, copy, bytes, align, flags, depend, priority);
  }
  const Body body(*running, *code);
  // LLVM's runtime, which may answer here, forgets what an untied task that is run at once was within.
  real(function, data, copy, bytes, align, false, flags & ~kUntied, depend, priority, detach);
}

// A taskloop has a priority without a flag that says so.
#define FORETASK_TASKLOOP(name, Number)                                                                       \
  FORETASK_ENTRY void name(Function function, void* data, Copy copy, long bytes, long align, unsigned flags,  \
                           unsigned long tasks, int priority, Number first, Number last, Number step) {       \
    see_other();                                                                                              \
    FORETASK_NEXT_OF(name, __builtin_return_address(0))                                                       \
    (function, data, copy, bytes, align, flags, tasks, drops_priorities() ? 0 : priority, first, last, step); \
  }
FORETASK_TASKLOOP(GOMP_taskloop, long)
FORETASK_TASKLOOP(GOMP_taskloop_ull, unsigned long long)

FORETASK_ENTRY void GOMP_taskwait() {
  foretask_tuned_wait(0);
  FORETASK_NEXT_OF(GOMP_taskwait, __builtin_return_address(0))();
}

FORETASK_ENTRY void GOMP_taskgroup_end() {
  foretask_tuned_wait(0);
  FORETASK_NEXT_OF(GOMP_taskgroup_end, __builtin_return_address(0))();
}

FORETASK_ENTRY void GOMP_taskyield() {
  foretask_tuned_yield();
  FORETASK_NEXT_OF(GOMP_taskyield, __builtin_return_address(0))();
}

FORETASK_ENTRY void GOMP_barrier() {
  foretask_tuned_wait(1);
  FORETASK_NEXT_OF(GOMP_barrier, __builtin_return_address(0))();
}
