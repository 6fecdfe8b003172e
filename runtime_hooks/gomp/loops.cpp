// SPDX-License-Identifier: Apache-2.0
// HOT: loops over signed variables, and what loops of both kinds have in common.
#include "loops.hpp"

#include "libgomp.hpp"

namespace foretask::gomp {
namespace {

constexpr std::uint32_t kNamed = ~std::uint32_t{FORETASK_SCHEDULE_ORDERED};

void ask_runtime(ompt::LoopCall& call) {
  using Ask = void (*)(int*, int*);
  static const auto ask = reinterpret_cast<Ask>(find_function("omp_get_schedule"));
  if (ask == nullptr) return;
  int kind = 0;
  int chunk = 0;
  ask(&kind, &chunk);
  call.schedule |= schedule_of(kind & 0x7fffffff);
  call.chunk = chunk > 0 ? static_cast<std::uint64_t>(chunk) : 0;
}

}  // namespace

std::uint32_t schedule_of(long kind) {
  switch (kind & 0x7fffffff) {
    case 1:
      return FORETASK_SCHEDULE_STATIC;
    case 2:
      return FORETASK_SCHEDULE_DYNAMIC;
    case 3:
      return FORETASK_SCHEDULE_GUIDED;
    case 4:
      return FORETASK_SCHEDULE_AUTO;
    default:
      return FORETASK_SCHEDULE_UNKNOWN;
  }
}

LoopStart loop_start(const void* code, std::uint32_t schedule, std::uint64_t chunk, std::int64_t first,
                     std::int64_t last, std::int64_t step, bool is_up) {
  LoopStart start;
  start.call = {code, schedule, chunk, first, step};
  const std::uint64_t up = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  const auto by = static_cast<std::uint64_t>(step);
  if (by != 0 && first != last) start.iterations = is_up ? (up - 1) / by + 1 : (0 - up - 1) / (0 - by) + 1;
  if ((schedule & kNamed) == FORETASK_SCHEDULE_UNKNOWN) ask_runtime(start.call);
  if ((start.call.schedule & kNamed) == FORETASK_SCHEDULE_STATIC && start.call.chunk != 0)
    start.call.schedule += FORETASK_SCHEDULE_STATIC_CHUNKED - FORETASK_SCHEDULE_STATIC;
  return start;
}

}  // namespace foretask::gomp

using namespace foretask::gomp;

namespace {

// An empty loop has none.
LoopStart checked_start(const void* code, std::uint32_t schedule, long chunk, long first, long last, long step) {
  LoopStart start = loop_start(code, schedule, chunk, first, last, step);
  if (step > 0 ? first >= last : first <= last) start.iterations = 0;
  return start;
}

}  // namespace

#define FORETASK_LOOP_NEXT(schedule)                                          \
  FORETASK_ENTRY bool GOMP_loop_##schedule##_next(long* begin, long* end) {   \
    finish_chunk();                                                           \
    const bool more = FORETASK_REAL(GOMP_loop_##schedule##_next)(begin, end); \
    start_chunk(more, *begin, *end);                                          \
    return more;                                                              \
  }

#define FORETASK_LOOP(schedule, kind)                                                                                  \
  FORETASK_ENTRY bool GOMP_loop_##schedule##_start(long first, long last, long step, long chunk, long* begin,          \
                                                   long* end) {                                                        \
    Thread* const thread = enter();                                                                                    \
    if (thread != nullptr)                                                                                             \
      begin_loop(*thread, ompt_work_loop, checked_start(__builtin_return_address(0), kind, chunk, first, last, step)); \
    const bool more = FORETASK_REAL(GOMP_loop_##schedule##_start)(first, last, step, chunk, begin, end);               \
    start_chunk(more, *begin, *end);                                                                                   \
    return more;                                                                                                       \
  }                                                                                                                    \
  FORETASK_LOOP_NEXT(schedule)

#define FORETASK_RUNTIME_LOOP(schedule, kind)                                                                      \
  FORETASK_ENTRY bool GOMP_loop_##schedule##_start(long first, long last, long step, long* begin, long* end) {     \
    Thread* const thread = enter();                                                                                \
    if (thread != nullptr)                                                                                         \
      begin_loop(*thread, ompt_work_loop, checked_start(__builtin_return_address(0), kind, 0, first, last, step)); \
    const bool more = FORETASK_REAL(GOMP_loop_##schedule##_start)(first, last, step, begin, end);                  \
    start_chunk(more, *begin, *end);                                                                               \
    return more;                                                                                                   \
  }                                                                                                                \
  FORETASK_LOOP_NEXT(schedule)

FORETASK_FOR_EACH_GOMP_LOOP(FORETASK_LOOP, FORETASK_RUNTIME_LOOP)

// With reductions over tasks, or memory for lastprivate(conditional) and scan. Without `begin` the program divides the
// iterations itself.
#define FORETASK_LOOP_OF_ALL(infix, ordered)                                                                      \
  FORETASK_ENTRY bool GOMP_loop_##infix(long first, long last, long step, long schedule, long chunk, long* begin, \
                                        long* end, std::uintptr_t* reductions, void** memory) {                   \
    Thread* const thread = enter();                                                                               \
    if (thread != nullptr)                                                                                        \
      begin_loop(                                                                                                 \
          *thread, ompt_work_loop,                                                                                \
          checked_start(__builtin_return_address(0), schedule_of(schedule) | ordered, chunk, first, last, step)); \
    const bool more =                                                                                             \
        FORETASK_REAL(GOMP_loop_##infix)(first, last, step, schedule, chunk, begin, end, reductions, memory);     \
    if (begin != nullptr) start_chunk(more, *begin, *end);                                                        \
    return more;                                                                                                  \
  }
FORETASK_LOOP_OF_ALL(start, 0)
FORETASK_LOOP_OF_ALL(ordered_start, FORETASK_SCHEDULE_ORDERED)

FORETASK_ENTRY void GOMP_loop_end() {
  const auto real = FORETASK_REAL(GOMP_loop_end);
  Thread* const thread = enter();
  if (thread == nullptr) return real();
  end_loop(*thread, ompt_work_loop);
  begin_barrier(*thread, ompt_sync_region_barrier_implicit);
  real();
  end_barrier(*thread, ompt_sync_region_barrier_implicit);
}

FORETASK_ENTRY bool GOMP_loop_end_cancel() {
  const auto real = FORETASK_REAL(GOMP_loop_end_cancel);
  Thread* const thread = enter();
  if (thread == nullptr) return real();
  end_loop(*thread, ompt_work_loop);
  begin_barrier(*thread, ompt_sync_region_barrier_implicit);
  const bool is_cancelled = real();
  leave_barrier(*thread, ompt_sync_region_barrier_implicit, is_cancelled);
  return is_cancelled;
}

FORETASK_ENTRY void GOMP_loop_end_nowait() {
  if (Thread* const thread = enter()) end_loop(*thread, ompt_work_loop);
  FORETASK_REAL(GOMP_loop_end_nowait)();
}
