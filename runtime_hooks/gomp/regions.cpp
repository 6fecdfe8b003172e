// SPDX-License-Identifier: Apache-2.0
// GOMP_parallel and its kin: each thread of the team comes through a wrapper of the region's body.
#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "created_tasks.hpp"
#include "kit/handover.hpp"
#include "libgomp.hpp"
#include "loops.hpp"
#include "thread.hpp"

using namespace foretask::gomp;
using foretask::handed_over;
using foretask::taken_over;

namespace {

constexpr auto kParallelFlags = static_cast<int>(ompt_parallel_invoker_runtime | ompt_parallel_team);

// On the forking thread's stack. No other thread reads it once its body has ended, and before that the forker does not
// return. GOMP_parallel_reductions reads the first word of the data: a copy of the program's stands here.
struct Region {
  void* reductions;
  Body body;
  void* data;
  ompt_data_t own;
  ImplicitTask member;  // of the forking thread
  Thread* forker;
  RunningTask* below;  // what the forking thread was in
  unsigned threads;
  bool has_loop;
  ompt_work_t construct;
  LoopStart loop;
};

void run_member(void* data) {
  taken_over(data);  // from the forker
  Region& region = *static_cast<Region*>(data);
  Thread& thread = *enter_as_worker();
  const bool is_forker = region.forker == &thread;
  // A forker that has a last region is in a task, which that region's barrier runs.
  if (!is_forker) leave_last_region(thread);
  ImplicitTask& member = is_forker ? region.member : thread.member;
  member.own = {};
  member.data = &member.own;
  member.group = nullptr;
  member.team = &region;
  member.leaves_region = false;
  thread.current = &member;
  const unsigned threads = team_size();
  if (is_forker) region.threads = threads;
  tell<ompt_callback_implicit_task>(ompt_scope_begin, &region.own, member.data, threads, index_in_team(),
                                    ompt_task_implicit);
  if (region.has_loop) begin_loop(thread, region.construct, region.loop);
  region.body(region.data);
  handed_over(data);  // to end_region()
  if (!member.leaves_region) begin_wait(thread, ompt_sync_region_barrier_implicit);
  if (!is_forker) thread.is_at_region_end = true;
}

void begin_region(Region& region, Thread& thread, Body body, void* data, unsigned threads) {
  region = {};
  region.body = body;
  region.data = data;
  region.forker = &thread;
  region.below = thread.current;
  thread.last_team = 0;
  tell<ompt_callback_parallel_begin>(thread.current->data, nullptr, &region.own, threads, kParallelFlags,
                                     code_of(body));
}

void end_region(Region& region, Thread& thread) {
  taken_over(&region);
  CreatedTasks::discard_of_team(thread, &region);
  end_wait(thread, ompt_sync_region_barrier_implicit);
  tell<ompt_callback_implicit_task>(ompt_scope_end, nullptr, region.member.data, 0U, 0U, ompt_task_implicit);
  thread.current = region.below;
  if (thread.current == &thread.initial) thread.last_team = region.threads;
  tell<ompt_callback_parallel_end>(&region.own, thread.current->data, kParallelFlags, code_of(region.body));
}

void leave_as_member(void* /*data*/) { leave_last_region(this_thread); }

void set_loop(Region& region, ompt_work_t construct, const LoopStart& loop) {
  region.has_loop = true;
  region.construct = construct;
  region.loop = loop;
}

// A region of `body` around libgomp's function `real`, whose further arguments are the rest. `prepare` completes what
// its threads find.
template <typename Real, typename Prepare, typename... Rest>
auto open_region(Real real, Body body, void* data, unsigned threads, Prepare prepare, Rest... rest) {
  Thread* const thread = enter();
  if (thread == nullptr) return real(body, data, threads, rest...);
  Region region;
  begin_region(region, *thread, body, data, threads);
  prepare(region);
  handed_over(&region);
  if constexpr (std::is_void_v<decltype(real(body, data, threads, rest...))>) {
    real(run_member, &region, threads, rest...);
    end_region(region, *thread);
  } else {
    const auto result = real(run_member, &region, threads, rest...);
    end_region(region, *thread);
    return result;
  }
}

}  // namespace

FORETASK_ENTRY void GOMP_parallel(Body body, void* data, unsigned threads, unsigned flags) {
  open_region(
      FORETASK_NEXT(GOMP_parallel), body, data, threads, [](Region& /*region*/) {}, flags);
}

FORETASK_ENTRY unsigned GOMP_parallel_reductions(Body body, void* data, unsigned threads, unsigned flags) {
  return open_region(
      FORETASK_NEXT(GOMP_parallel_reductions), body, data, threads,
      [data](Region& region) { std::memcpy(&region.reductions, data, sizeof region.reductions); }, flags);
}

// In a region of its own. Where libgomp may give it fewer threads, the others would end, with what the program has them
// do then.
void foretask::gomp::leave_last_team(const Thread& thread) {
  if (thread.last_team > 1 && !chooses_team_size())
    FORETASK_NEXT(GOMP_parallel)(leave_as_member, nullptr, thread.last_team, 0);
}

#define FORETASK_PARALLEL_LOOP(schedule, kind)                                                                       \
  FORETASK_ENTRY void GOMP_parallel_loop_##schedule(Body body, void* data, unsigned threads, long first, long last,  \
                                                    long step, long chunk, unsigned flags) {                         \
    const void* const code = __builtin_return_address(0);                                                            \
    open_region(                                                                                                     \
        FORETASK_NEXT(GOMP_parallel_loop_##schedule), body, data, threads,                                           \
        [=](Region& region) { set_loop(region, ompt_work_loop, loop_start(code, kind, chunk, first, last, step)); }, \
        first, last, step, chunk, flags);                                                                            \
  }

#define FORETASK_PARALLEL_RUNTIME_LOOP(schedule)                                                                    \
  FORETASK_ENTRY void GOMP_parallel_loop_##schedule(Body body, void* data, unsigned threads, long first, long last, \
                                                    long step, unsigned flags) {                                    \
    const void* const code = __builtin_return_address(0);                                                           \
    open_region(                                                                                                    \
        FORETASK_NEXT(GOMP_parallel_loop_##schedule), body, data, threads,                                          \
        [=](Region& region) {                                                                                       \
          set_loop(region, ompt_work_loop, loop_start(code, FORETASK_SCHEDULE_UNKNOWN, 0L, first, last, step));     \
        },                                                                                                          \
        first, last, step, flags);                                                                                  \
  }

FORETASK_PARALLEL_LOOP(static, FORETASK_SCHEDULE_STATIC)
FORETASK_PARALLEL_LOOP(dynamic, FORETASK_SCHEDULE_DYNAMIC)
FORETASK_PARALLEL_LOOP(guided, FORETASK_SCHEDULE_GUIDED)
FORETASK_PARALLEL_LOOP(nonmonotonic_dynamic, FORETASK_SCHEDULE_DYNAMIC)
FORETASK_PARALLEL_LOOP(nonmonotonic_guided, FORETASK_SCHEDULE_GUIDED)
FORETASK_PARALLEL_RUNTIME_LOOP(runtime)
FORETASK_PARALLEL_RUNTIME_LOOP(nonmonotonic_runtime)
FORETASK_PARALLEL_RUNTIME_LOOP(maybe_nonmonotonic_runtime)

FORETASK_ENTRY void GOMP_parallel_sections(Body body, void* data, unsigned threads, unsigned count, unsigned flags) {
  const void* const code = __builtin_return_address(0);
  open_region(
      FORETASK_NEXT(GOMP_parallel_sections), body, data, threads,
      [=](Region& region) {
        set_loop(region, ompt_work_sections, loop_start(code, FORETASK_SCHEDULE_DYNAMIC, 1L, 1L, long{count} + 1, 1L));
      },
      count, flags);
}

// Called by what GCC 4.8 and older have compiled, which then runs the region's body itself. A program of theirs is not
// recorded; a library of theirs may be loaded into another one.
FORETASK_ENTRY void GOMP_parallel_start(Body body, void* data, unsigned threads) {
  static constinit std::atomic<bool> is_told{false};
  if (enter() != nullptr && !is_told.exchange(true))
    foretask_hook_warn("a library of this program is of GCC 4.8 or older: its parallel regions are not seen");
  FORETASK_NEXT(GOMP_parallel_start)(body, data, threads);
}
