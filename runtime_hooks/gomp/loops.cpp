// SPDX-License-Identifier: Apache-2.0
// HOT: loops, and the ends of loops and sections.
#include "loops.hpp"

#include "libgomp.hpp"

namespace foretask::gomp {
namespace {

constexpr std::uint32_t kNamed = ~std::uint32_t{FORETASK_SCHEDULE_ORDERED};

void ask_runtime(ompt::LoopCall& call) {
  using Ask = void (*)(int*, int*);
  static const auto ask = find_function<Ask>("omp_get_schedule");
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
  if (first != last)
    start.iterations = iterations_between(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last),
                                          static_cast<std::uint64_t>(step), is_up);
  if ((schedule & kNamed) == FORETASK_SCHEDULE_UNKNOWN) ask_runtime(start.call);
  if ((start.call.schedule & kNamed) == FORETASK_SCHEDULE_STATIC && start.call.chunk != 0)
    start.call.schedule += FORETASK_SCHEDULE_STATIC_CHUNKED - FORETASK_SCHEDULE_STATIC;
  return start;
}

}  // namespace foretask::gomp

using namespace foretask::gomp;

namespace {

// A loop may be empty: then it has no iterations.
template <typename Number>
void enter_loop(const Thread& thread, const void* code, std::uint32_t schedule, Number chunk, bool is_up, Number first,
                Number last, Number step) {
  LoopStart start = loop_start(code, schedule, static_cast<std::uint64_t>(chunk), static_cast<std::int64_t>(first),
                               static_cast<std::int64_t>(last), static_cast<std::int64_t>(step), is_up);
  if (is_up ? first >= last : first <= last) start.iterations = 0;
  begin_loop(thread, ompt_work_loop, start);
}

// libgomp has given the thread a chunk, if there was `more`.
template <typename Number>
bool given(bool more, const Number* begin, const Number* end) {
  start_chunk(more, static_cast<std::int64_t>(*begin), static_cast<std::int64_t>(*end));
  return more;
}

}  // namespace

// Loops over signed variables, whose step says whether they go up, and over unsigned ones, whose calls say so.
#define FORETASK_UP_PARAMETER_long
#define FORETASK_UP_ARGUMENT_long
#define FORETASK_IS_UP_long (step > 0)
#define FORETASK_UP_PARAMETER_Unsigned bool is_up,
#define FORETASK_UP_ARGUMENT_Unsigned is_up,
#define FORETASK_IS_UP_Unsigned is_up

#define FORETASK_LOOP_NEXT(name, Number)                              \
  FORETASK_ENTRY bool name##_next(Number* begin, Number* end) {       \
    finish_chunk();                                                   \
    return given(FORETASK_NEXT(name##_next)(begin, end), begin, end); \
  }

#define FORETASK_LOOP_OF(name, Number, kind)                                                                      \
  FORETASK_ENTRY bool name##_start(FORETASK_UP_PARAMETER_##Number Number first, Number last, Number step,         \
                                   Number chunk, Number* begin, Number* end) {                                    \
    if (const Thread* const thread = enter())                                                                     \
      enter_loop(*thread, __builtin_return_address(0), kind, chunk, FORETASK_IS_UP_##Number, first, last, step);  \
    return given(FORETASK_NEXT(name##_start)(FORETASK_UP_ARGUMENT_##Number first, last, step, chunk, begin, end), \
                 begin, end);                                                                                     \
  }                                                                                                               \
  FORETASK_LOOP_NEXT(name, Number)

#define FORETASK_RUNTIME_LOOP_OF(name, Number, kind)                                                                 \
  FORETASK_ENTRY bool name##_start(FORETASK_UP_PARAMETER_##Number Number first, Number last, Number step,            \
                                   Number* begin, Number* end) {                                                     \
    if (const Thread* const thread = enter())                                                                        \
      enter_loop(*thread, __builtin_return_address(0), kind, Number{0}, FORETASK_IS_UP_##Number, first, last, step); \
    return given(FORETASK_NEXT(name##_start)(FORETASK_UP_ARGUMENT_##Number first, last, step, begin, end), begin,    \
                 end);                                                                                               \
  }                                                                                                                  \
  FORETASK_LOOP_NEXT(name, Number)

#define FORETASK_LOOP(schedule, kind)                \
  FORETASK_LOOP_OF(GOMP_loop_##schedule, long, kind) \
  FORETASK_LOOP_OF(GOMP_loop_ull_##schedule, Unsigned, kind)
#define FORETASK_RUNTIME_LOOP(schedule, kind)                \
  FORETASK_RUNTIME_LOOP_OF(GOMP_loop_##schedule, long, kind) \
  FORETASK_RUNTIME_LOOP_OF(GOMP_loop_ull_##schedule, Unsigned, kind)
FORETASK_LOOP(static, FORETASK_SCHEDULE_STATIC)
FORETASK_LOOP(dynamic, FORETASK_SCHEDULE_DYNAMIC)
FORETASK_LOOP(guided, FORETASK_SCHEDULE_GUIDED)
FORETASK_LOOP(nonmonotonic_dynamic, FORETASK_SCHEDULE_DYNAMIC)
FORETASK_LOOP(nonmonotonic_guided, FORETASK_SCHEDULE_GUIDED)
FORETASK_LOOP(ordered_static, FORETASK_SCHEDULE_STATIC | FORETASK_SCHEDULE_ORDERED)
FORETASK_LOOP(ordered_dynamic, FORETASK_SCHEDULE_DYNAMIC | FORETASK_SCHEDULE_ORDERED)
FORETASK_LOOP(ordered_guided, FORETASK_SCHEDULE_GUIDED | FORETASK_SCHEDULE_ORDERED)
FORETASK_RUNTIME_LOOP(runtime, FORETASK_SCHEDULE_UNKNOWN)
FORETASK_RUNTIME_LOOP(nonmonotonic_runtime, FORETASK_SCHEDULE_UNKNOWN)
FORETASK_RUNTIME_LOOP(maybe_nonmonotonic_runtime, FORETASK_SCHEDULE_UNKNOWN)
FORETASK_RUNTIME_LOOP(ordered_runtime, FORETASK_SCHEDULE_UNKNOWN | FORETASK_SCHEDULE_ORDERED)

// With reductions over tasks, or memory for lastprivate(conditional) and scan. Without `begin` the program divides the
// iterations itself.
#define FORETASK_LOOP_OF_ALL(name, Number, ordered)                                                                \
  FORETASK_ENTRY bool name(FORETASK_UP_PARAMETER_##Number Number first, Number last, Number step, long schedule,   \
                           Number chunk, Number* begin, Number* end, std::uintptr_t* reductions, void** memory) {  \
    if (const Thread* const thread = enter())                                                                      \
      enter_loop(*thread, __builtin_return_address(0), schedule_of(schedule) | ordered, chunk,                     \
                 FORETASK_IS_UP_##Number, first, last, step);                                                      \
    const bool more = FORETASK_NEXT(name)(FORETASK_UP_ARGUMENT_##Number first, last, step, schedule, chunk, begin, \
                                          end, reductions, memory);                                                \
    return begin == nullptr ? more : given(more, begin, end);                                                      \
  }
FORETASK_LOOP_OF_ALL(GOMP_loop_start, long, 0)
FORETASK_LOOP_OF_ALL(GOMP_loop_ordered_start, long, FORETASK_SCHEDULE_ORDERED)
FORETASK_LOOP_OF_ALL(GOMP_loop_ull_start, Unsigned, 0)
FORETASK_LOOP_OF_ALL(GOMP_loop_ull_ordered_start, Unsigned, FORETASK_SCHEDULE_ORDERED)

// The outermost of those with ordered(n), whose iterations are numbered from 0.
#define FORETASK_NUMBERED_LOOP(name, Number, kind)                                                                 \
  FORETASK_ENTRY bool name(unsigned loops, Number* counts, Number chunk, Number* begin, Number* end) {             \
    if (const Thread* const thread = enter())                                                                      \
      enter_loop<Number>(*thread, __builtin_return_address(0), (kind) | FORETASK_SCHEDULE_ORDERED, chunk, true, 0, \
                         counts[0], 1);                                                                            \
    return given(FORETASK_NEXT(name)(loops, counts, chunk, begin, end), begin, end);                               \
  }
#define FORETASK_NUMBERED_LOOPS(prefix, Number)                                                                      \
  FORETASK_NUMBERED_LOOP(prefix##_static_start, Number, FORETASK_SCHEDULE_STATIC)                                    \
  FORETASK_NUMBERED_LOOP(prefix##_dynamic_start, Number, FORETASK_SCHEDULE_DYNAMIC)                                  \
  FORETASK_NUMBERED_LOOP(prefix##_guided_start, Number, FORETASK_SCHEDULE_GUIDED)                                    \
  FORETASK_ENTRY bool prefix##_runtime_start(unsigned loops, Number* counts, Number* begin, Number* end) {           \
    if (const Thread* const thread = enter())                                                                        \
      enter_loop<Number>(*thread, __builtin_return_address(0), FORETASK_SCHEDULE_ORDERED, 0, true, 0, counts[0], 1); \
    return given(FORETASK_NEXT(prefix##_runtime_start)(loops, counts, begin, end), begin, end);                      \
  }                                                                                                                  \
  FORETASK_ENTRY bool prefix##_start(unsigned loops, Number* counts, long schedule, Number chunk, Number* begin,     \
                                     Number* end, std::uintptr_t* reductions, void** memory) {                       \
    if (const Thread* const thread = enter())                                                                        \
      enter_loop<Number>(*thread, __builtin_return_address(0), schedule_of(schedule) | FORETASK_SCHEDULE_ORDERED,    \
                         chunk, true, 0, counts[0], 1);                                                              \
    const bool more = FORETASK_NEXT(prefix##_start)(loops, counts, schedule, chunk, begin, end, reductions, memory); \
    return begin == nullptr ? more : given(more, begin, end);                                                        \
  }
FORETASK_NUMBERED_LOOPS(GOMP_loop_doacross, long)
FORETASK_NUMBERED_LOOPS(GOMP_loop_ull_doacross, Unsigned)

// The end of a construct, with a barrier behind it or without.
#define FORETASK_WORK_END(name, kind)                                                                          \
  FORETASK_ENTRY void name() {                                                                                 \
    wait_at_barrier(leave_loop(kind), ompt_sync_region_barrier_implicit, FORETASK_NEXT(name));                 \
  }                                                                                                            \
  FORETASK_ENTRY bool name##_cancel() {                                                                        \
    return wait_at_barrier(leave_loop(kind), ompt_sync_region_barrier_implicit, FORETASK_NEXT(name##_cancel)); \
  }                                                                                                            \
  FORETASK_ENTRY void name##_nowait() {                                                                        \
    static_cast<void>(leave_loop(kind));                                                                       \
    FORETASK_NEXT(name##_nowait)();                                                                            \
  }
FORETASK_WORK_END(GOMP_loop_end, ompt_work_loop)
FORETASK_WORK_END(GOMP_sections_end, ompt_work_sections)
