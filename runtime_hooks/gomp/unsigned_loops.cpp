// SPDX-License-Identifier: Apache-2.0
// HOT: loops over unsigned long long variables, and those with ordered(n), whose iterations are numbered from 0.
#include <cstdint>

#include "libgomp.hpp"
#include "loops.hpp"
#include "thread.hpp"

using namespace foretask::gomp;

namespace {

LoopStart unsigned_start(const void* code, std::uint32_t schedule, Unsigned chunk, bool is_up, Unsigned first,
                         Unsigned last, Unsigned step) {
  LoopStart start = loop_start(code, schedule, std::uint64_t{chunk}, static_cast<std::int64_t>(first),
                               static_cast<std::int64_t>(last), static_cast<std::int64_t>(step), is_up);
  if (is_up ? first >= last : first <= last) start.iterations = 0;
  return start;
}

void start_unsigned_chunk(bool more, const Unsigned* begin, const Unsigned* end) {
  start_chunk(more, static_cast<std::int64_t>(*begin), static_cast<std::int64_t>(*end));
}

template <typename Number>
void begin_numbered(const void* code, std::uint32_t schedule, std::uint64_t chunk, const Number* counts) {
  Thread* const thread = enter();
  if (thread == nullptr) return;
  begin_loop(
      *thread, ompt_work_loop,
      loop_start(code, schedule | FORETASK_SCHEDULE_ORDERED, chunk, 0, static_cast<std::int64_t>(counts[0]), 1, true));
}

}  // namespace

#define FORETASK_UNSIGNED_NEXT(schedule)                                                \
  FORETASK_ENTRY bool GOMP_loop_ull_##schedule##_next(Unsigned* begin, Unsigned* end) { \
    finish_chunk();                                                                     \
    const bool more = FORETASK_REAL(GOMP_loop_ull_##schedule##_next)(begin, end);       \
    start_unsigned_chunk(more, begin, end);                                             \
    return more;                                                                        \
  }

#define FORETASK_UNSIGNED_LOOP(schedule, kind)                                                                      \
  FORETASK_ENTRY bool GOMP_loop_ull_##schedule##_start(bool is_up, Unsigned first, Unsigned last, Unsigned step,    \
                                                       Unsigned chunk, Unsigned* begin, Unsigned* end) {            \
    Thread* const thread = enter();                                                                                 \
    if (thread != nullptr)                                                                                          \
      begin_loop(*thread, ompt_work_loop,                                                                           \
                 unsigned_start(__builtin_return_address(0), kind, chunk, is_up, first, last, step));               \
    const bool more = FORETASK_REAL(GOMP_loop_ull_##schedule##_start)(is_up, first, last, step, chunk, begin, end); \
    start_unsigned_chunk(more, begin, end);                                                                         \
    return more;                                                                                                    \
  }                                                                                                                 \
  FORETASK_UNSIGNED_NEXT(schedule)

#define FORETASK_UNSIGNED_RUNTIME_LOOP(schedule, kind)                                                           \
  FORETASK_ENTRY bool GOMP_loop_ull_##schedule##_start(bool is_up, Unsigned first, Unsigned last, Unsigned step, \
                                                       Unsigned* begin, Unsigned* end) {                         \
    Thread* const thread = enter();                                                                              \
    if (thread != nullptr)                                                                                       \
      begin_loop(*thread, ompt_work_loop,                                                                        \
                 unsigned_start(__builtin_return_address(0), kind, 0, is_up, first, last, step));                \
    const bool more = FORETASK_REAL(GOMP_loop_ull_##schedule##_start)(is_up, first, last, step, begin, end);     \
    start_unsigned_chunk(more, begin, end);                                                                      \
    return more;                                                                                                 \
  }                                                                                                              \
  FORETASK_UNSIGNED_NEXT(schedule)

FORETASK_FOR_EACH_GOMP_LOOP(FORETASK_UNSIGNED_LOOP, FORETASK_UNSIGNED_RUNTIME_LOOP)

#define FORETASK_UNSIGNED_LOOP_OF_ALL(infix, ordered)                                                                \
  FORETASK_ENTRY bool GOMP_loop_ull_##infix(bool is_up, Unsigned first, Unsigned last, Unsigned step, long schedule, \
                                            Unsigned chunk, Unsigned* begin, Unsigned* end,                          \
                                            std::uintptr_t* reductions, void** memory) {                             \
    Thread* const thread = enter();                                                                                  \
    if (thread != nullptr)                                                                                           \
      begin_loop(*thread, ompt_work_loop,                                                                            \
                 unsigned_start(__builtin_return_address(0), schedule_of(schedule) | ordered, chunk, is_up, first,   \
                                last, step));                                                                        \
    const bool more = FORETASK_REAL(GOMP_loop_ull_##infix)(is_up, first, last, step, schedule, chunk, begin, end,    \
                                                           reductions, memory);                                      \
    if (begin != nullptr) start_unsigned_chunk(more, begin, end);                                                    \
    return more;                                                                                                     \
  }
FORETASK_UNSIGNED_LOOP_OF_ALL(start, 0)
FORETASK_UNSIGNED_LOOP_OF_ALL(ordered_start, FORETASK_SCHEDULE_ORDERED)

#define FORETASK_NUMBERED_LOOP(name, Number, kind)                                                                 \
  FORETASK_ENTRY bool GOMP_loop_##name(unsigned loops, Number* counts, Number chunk, Number* begin, Number* end) { \
    begin_numbered(__builtin_return_address(0), kind, static_cast<std::uint64_t>(chunk), counts);                  \
    const bool more = FORETASK_REAL(GOMP_loop_##name)(loops, counts, chunk, begin, end);                           \
    start_chunk(more, static_cast<std::int64_t>(*begin), static_cast<std::int64_t>(*end));                         \
    return more;                                                                                                   \
  }

#define FORETASK_NUMBERED_LOOPS(prefix, Number)                                                                       \
  FORETASK_NUMBERED_LOOP(prefix##doacross_static_start, Number, FORETASK_SCHEDULE_STATIC)                             \
  FORETASK_NUMBERED_LOOP(prefix##doacross_dynamic_start, Number, FORETASK_SCHEDULE_DYNAMIC)                           \
  FORETASK_NUMBERED_LOOP(prefix##doacross_guided_start, Number, FORETASK_SCHEDULE_GUIDED)                             \
  FORETASK_ENTRY bool GOMP_loop_##prefix##doacross_runtime_start(unsigned loops, Number* counts, Number* begin,       \
                                                                 Number* end) {                                       \
    begin_numbered(__builtin_return_address(0), FORETASK_SCHEDULE_UNKNOWN, 0, counts);                                \
    const bool more = FORETASK_REAL(GOMP_loop_##prefix##doacross_runtime_start)(loops, counts, begin, end);           \
    start_chunk(more, static_cast<std::int64_t>(*begin), static_cast<std::int64_t>(*end));                            \
    return more;                                                                                                      \
  }                                                                                                                   \
  FORETASK_ENTRY bool GOMP_loop_##prefix##doacross_start(unsigned loops, Number* counts, long schedule, Number chunk, \
                                                         Number* begin, Number* end, std::uintptr_t* reductions,      \
                                                         void** memory) {                                             \
    begin_numbered(__builtin_return_address(0), schedule_of(schedule), static_cast<std::uint64_t>(chunk), counts);    \
    const bool more = FORETASK_REAL(GOMP_loop_##prefix##doacross_start)(loops, counts, schedule, chunk, begin, end,   \
                                                                        reductions, memory);                          \
    if (begin != nullptr) start_chunk(more, static_cast<std::int64_t>(*begin), static_cast<std::int64_t>(*end));      \
    return more;                                                                                                      \
  }
FORETASK_NUMBERED_LOOPS(, long)
FORETASK_NUMBERED_LOOPS(ull_, Unsigned)
