// SPDX-License-Identifier: Apache-2.0
// HOT: the functions by which programs that GCC built begin loops, in front of LLVM's runtime where that stands in for
// GCC's: their names and arguments say the schedule, which OMPT says nothing of. Those over unsigned long are in
// gomp_down_loops.cpp. The launcher preloads this library for programs that call these functions.
#include "gomp_calls.hpp"

namespace {

// The first use of OpenMP may be a loop: the runtime starts the recorder.
void start_runtime() {
  using Function = int (*)();
  static const auto function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  if (function != nullptr) static_cast<void>(function());
}

}  // namespace

void foretask::ompt::announce(std::uint32_t schedule, std::uint64_t chunk, const void* code) {
  if (open_loops == nullptr) start_runtime();
  if (open_loops == nullptr) return;
  const std::uint32_t ordered = schedule & FORETASK_SCHEDULE_ORDERED;
  LoopCall call{.code = code, .schedule = schedule & ~ordered, .chunk = chunk};
  if (call.schedule == FORETASK_SCHEDULE_UNKNOWN) ask_runtime(call);
  if (call.schedule == FORETASK_SCHEDULE_STATIC && call.chunk != 0) call.schedule = FORETASK_SCHEDULE_STATIC_CHUNKED;
  // The runtime hands out values of the loop's variable.
  if (call.schedule != FORETASK_SCHEDULE_UNKNOWN) call.schedule |= FORETASK_SCHEDULE_UNNUMBERED;
  call.schedule |= ordered;
  open_loops->announce(call);
}

// Without iterations the runtime begins no loop.
#define FORETASK_GOMP_LOOP(schedule, kind)                                                            \
  extern "C" __attribute__((visibility("default"))) bool GOMP_loop_##schedule##_start(                \
      long first, long last, long step, long chunk, long* begin, long* end) {                         \
    static const auto runtime = FORETASK_NEXT(GOMP_loop_##schedule##_start);                          \
    if (step > 0 ? first < last : first > last)                                                       \
      foretask::ompt::announce(kind, static_cast<std::uint64_t>(chunk), __builtin_return_address(0)); \
    return runtime(first, last, step, chunk, begin, end);                                             \
  }

#define FORETASK_GOMP_RUNTIME_LOOP(schedule, kind)                                                              \
  extern "C" __attribute__((visibility("default"))) bool GOMP_loop_##schedule##_start(                          \
      long first, long last, long step, long* begin, long* end) {                                               \
    static const auto runtime = FORETASK_NEXT(GOMP_loop_##schedule##_start);                                    \
    if (step > 0 ? first < last : first > last) foretask::ompt::announce(kind, 0, __builtin_return_address(0)); \
    return runtime(first, last, step, begin, end);                                                              \
  }

FORETASK_FOR_EACH_GOMP_LOOP(FORETASK_GOMP_LOOP, FORETASK_GOMP_RUNTIME_LOOP)

// Loops with ordered(n).
#define FORETASK_GOMP_DOACROSS(infix, Number, kind)                                                 \
  extern "C" __attribute__((visibility("default"))) bool GOMP_loop_##infix##_start(                 \
      unsigned loops, Number* counts, Number chunk, Number* begin, Number* end) {                   \
    static const auto runtime = FORETASK_NEXT(GOMP_loop_##infix##_start);                           \
    if (counts[0] > 0)                                                                              \
      foretask::ompt::announce(kind | FORETASK_SCHEDULE_ORDERED, static_cast<std::uint64_t>(chunk), \
                               __builtin_return_address(0));                                        \
    return runtime(loops, counts, chunk, begin, end);                                               \
  }

#define FORETASK_GOMP_DOACROSS_OF(prefix, Number)                                                                      \
  FORETASK_GOMP_DOACROSS(prefix##doacross_static, Number, FORETASK_SCHEDULE_STATIC)                                    \
  FORETASK_GOMP_DOACROSS(prefix##doacross_dynamic, Number, FORETASK_SCHEDULE_DYNAMIC)                                  \
  FORETASK_GOMP_DOACROSS(prefix##doacross_guided, Number, FORETASK_SCHEDULE_GUIDED)                                    \
  extern "C" __attribute__((visibility("default"))) bool GOMP_loop_##prefix##doacross_runtime_start(                   \
      unsigned loops, Number* counts, Number* begin, Number* end) {                                                    \
    static const auto runtime = FORETASK_NEXT(GOMP_loop_##prefix##doacross_runtime_start);                             \
    if (counts[0] > 0)                                                                                                 \
      foretask::ompt::announce(FORETASK_SCHEDULE_UNKNOWN | FORETASK_SCHEDULE_ORDERED, 0, __builtin_return_address(0)); \
    return runtime(loops, counts, begin, end);                                                                         \
  }

FORETASK_GOMP_DOACROSS_OF(, long)
FORETASK_GOMP_DOACROSS_OF(ull_, unsigned long long)

// Each section is an iteration, which the thread runs that is free first.
extern "C" __attribute__((visibility("default"))) unsigned GOMP_sections_start(unsigned count) {
  static const auto runtime = FORETASK_NEXT(GOMP_sections_start);
  foretask::ompt::announce(FORETASK_SCHEDULE_DYNAMIC, 1, __builtin_return_address(0));
  return runtime(count);
}

// A region that is a loop. Each goes on by a jump, so that LLVM's sees the construct's own address. Only the thread
// that forks comes here; it begins the loop next.
#define FORETASK_GOMP_PARALLEL_LOOP(schedule, kind)                                                    \
  extern "C" __attribute__((visibility("default"))) void GOMP_parallel_loop_##schedule(                \
      void (*body)(void*), void* data, unsigned threads, long first, long last, long step, long chunk, \
      unsigned flags) {                                                                                \
    static const auto runtime = FORETASK_NEXT(GOMP_parallel_loop_##schedule);                          \
    foretask::ompt::announce(kind, static_cast<std::uint64_t>(chunk), __builtin_return_address(0));    \
    return runtime(body, data, threads, first, last, step, chunk, flags);                              \
  }

#define FORETASK_GOMP_PARALLEL_RUNTIME_LOOP(schedule)                                                        \
  extern "C" __attribute__((visibility("default"))) void GOMP_parallel_loop_##schedule(                      \
      void (*body)(void*), void* data, unsigned threads, long first, long last, long step, unsigned flags) { \
    static const auto runtime = FORETASK_NEXT(GOMP_parallel_loop_##schedule);                                \
    foretask::ompt::announce(FORETASK_SCHEDULE_UNKNOWN, 0, __builtin_return_address(0));                     \
    return runtime(body, data, threads, first, last, step, flags);                                           \
  }

FORETASK_GOMP_PARALLEL_LOOP(static, FORETASK_SCHEDULE_STATIC)
FORETASK_GOMP_PARALLEL_LOOP(dynamic, FORETASK_SCHEDULE_DYNAMIC)
FORETASK_GOMP_PARALLEL_LOOP(guided, FORETASK_SCHEDULE_GUIDED)
FORETASK_GOMP_PARALLEL_LOOP(nonmonotonic_dynamic, FORETASK_SCHEDULE_DYNAMIC)
FORETASK_GOMP_PARALLEL_LOOP(nonmonotonic_guided, FORETASK_SCHEDULE_GUIDED)
FORETASK_GOMP_PARALLEL_RUNTIME_LOOP(runtime)
FORETASK_GOMP_PARALLEL_RUNTIME_LOOP(nonmonotonic_runtime)
FORETASK_GOMP_PARALLEL_RUNTIME_LOOP(maybe_nonmonotonic_runtime)

extern "C" __attribute__((visibility("default"))) void GOMP_parallel_sections(void (*body)(void*), void* data,
                                                                              unsigned threads, unsigned count,
                                                                              unsigned flags) {
  static const auto runtime = FORETASK_NEXT(GOMP_parallel_sections);
  foretask::ompt::announce(FORETASK_SCHEDULE_DYNAMIC, 1, __builtin_return_address(0));
  return runtime(body, data, threads, count, flags);
}
