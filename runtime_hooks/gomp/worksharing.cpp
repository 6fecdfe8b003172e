// SPDX-License-Identifier: Apache-2.0
// Sections, single, barriers, cancellation.
#include <cstdint>

#include "libgomp.hpp"
#include "loops.hpp"
#include "thread.hpp"

using namespace foretask::gomp;

namespace {

// Numbered from 1, each run by the thread that is free first.
void begin_sections(unsigned count, const void* code) {
  if (Thread* const thread = enter())
    begin_loop(*thread, ompt_work_sections, loop_start(code, FORETASK_SCHEDULE_DYNAMIC, 1L, 1L, long{count} + 1, 1L));
}

unsigned start_section(unsigned section) {
  start_chunk(section != 0, std::int64_t{section}, std::int64_t{section} + 1);
  return section;
}

void begin_single(const Thread& thread, const void* code) {
  tell<ompt_callback_work>(ompt_work_single_executor, ompt_scope_begin, nullptr, thread.current->data, std::uint64_t{1},
                           code);
}

// A team has one at a time.
ompt_wait_id_t copying_single(const Thread& thread) {
  static const char outside_of_teams = 0;
  const void* const team = thread.current->team;
  return reinterpret_cast<std::uintptr_t>(team != nullptr ? team : &outside_of_teams);
}

// foretask_cancel's bits, of libgomp's, which has loops and sections the other way round.
int cancelled_construct(int which) {
  switch (which) {
    case 2:
      return FORETASK_CANCEL_LOOP;
    case 4:
      return FORETASK_CANCEL_SECTIONS;
    default:
      return which;
  }
}

void tell_cancel(int which, int how) {
  if (Thread* const thread = enter())
    tell<ompt_callback_cancel>(thread->current->data, cancelled_construct(which) | how, nullptr);
}

}  // namespace

FORETASK_ENTRY unsigned GOMP_sections_start(unsigned count) {
  begin_sections(count, __builtin_return_address(0));
  return start_section(FORETASK_NEXT(GOMP_sections_start)(count));
}

FORETASK_ENTRY unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions, void** memory) {
  begin_sections(count, __builtin_return_address(0));
  return start_section(FORETASK_NEXT(GOMP_sections2_start)(count, reductions, memory));
}

FORETASK_ENTRY unsigned GOMP_sections_next() {
  finish_chunk();
  return start_section(FORETASK_NEXT(GOMP_sections_next)());
}

FORETASK_ENTRY void GOMP_barrier() {
  wait_at_barrier(enter(), ompt_sync_region_barrier_explicit, FORETASK_NEXT(GOMP_barrier));
}

FORETASK_ENTRY bool GOMP_barrier_cancel() {
  return wait_at_barrier(enter(), ompt_sync_region_barrier_explicit, FORETASK_NEXT(GOMP_barrier_cancel));
}

FORETASK_ENTRY void GOMP_workshare_task_reduction_unregister(bool is_cancelled) {
  const auto real = FORETASK_NEXT(GOMP_workshare_task_reduction_unregister);
  if (is_cancelled) return real(is_cancelled);
  wait_at_barrier(enter(), ompt_sync_region_barrier_implicit, real, false);
}

// Nothing says its end but the next barrier.
FORETASK_ENTRY bool GOMP_single_start() {
  Thread* const thread = enter();
  const bool is_executor = FORETASK_NEXT(GOMP_single_start)();
  if (thread != nullptr && is_executor) begin_single(*thread, __builtin_return_address(0));
  return is_executor;
}

// The other threads wait inside for the copy. Only afterwards is it known which thread is the executor. So the
// construct is told as a critical section that the executor is the first to have.
FORETASK_ENTRY void* GOMP_single_copy_start() {
  const auto real = FORETASK_NEXT(GOMP_single_copy_start);
  Thread* const thread = enter();
  if (thread == nullptr) return real();
  tell<ompt_callback_mutex_acquire>(ompt_mutex_critical, 0U, 0U, copying_single(*thread), nullptr);
  void* const copied = real();
  tell<ompt_callback_mutex_acquired>(ompt_mutex_critical, copying_single(*thread), nullptr);
  if (copied == nullptr) {
    begin_single(*thread, __builtin_return_address(0));
  } else {
    tell<ompt_callback_mutex_released>(ompt_mutex_critical, copying_single(*thread), nullptr);
    begin_wait(*thread, ompt_sync_region_barrier_implicit);
    end_wait(*thread, ompt_sync_region_barrier_implicit);
  }
  return copied;
}

FORETASK_ENTRY void GOMP_single_copy_end(void* data) {
  const auto real = FORETASK_NEXT(GOMP_single_copy_end);
  Thread* const thread = enter();
  if (thread != nullptr) tell<ompt_callback_mutex_released>(ompt_mutex_critical, copying_single(*thread), nullptr);
  wait_at_barrier(thread, ompt_sync_region_barrier_implicit, real, data);
}

FORETASK_ENTRY bool GOMP_cancel(int which, bool cancels) {
  const bool is_cancelled = FORETASK_NEXT(GOMP_cancel)(which, cancels);
  if (is_cancelled) tell_cancel(which, cancels ? FORETASK_CANCEL_ACTIVATED : FORETASK_CANCEL_DETECTED);
  return is_cancelled;
}

FORETASK_ENTRY bool GOMP_cancellation_point(int which) {
  const bool is_cancelled = FORETASK_NEXT(GOMP_cancellation_point)(which);
  if (is_cancelled) tell_cancel(which, FORETASK_CANCEL_DETECTED);
  return is_cancelled;
}
