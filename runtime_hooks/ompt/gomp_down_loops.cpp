// SPDX-License-Identifier: Apache-2.0
// Loops of programs that GCC built, in front of LLVM's runtime where that stands in for GCC's: of those over unsigned
// long that count down, LLVM's (14 to 19) runs no iteration where it hands out the chunks. Here they become loops that
// count iterations up. The others go on to LLVM's as they are. The launcher preloads this library for programs that
// call these functions. Of all of them their schedules are announced.
#include <cstdlib>

#include "gomp_calls.hpp"

namespace {

using Number = unsigned long long;

// A loop that counts down, known by where its thread keeps the bounds of its chunk: on the stack, so that what lies
// deeper than a loop that begins, or goes on, is over, however it was left.
struct DownLoop {
  DownLoop* outer;
  const Number* bounds;
  Number first;
  Number step;
};
thread_local DownLoop* innermost __attribute__((tls_model("initial-exec"))) = nullptr;

void forget_deeper(const Number* bounds, bool itself) {
  while (innermost != nullptr && (innermost->bounds < bounds || (itself && innermost->bounds == bounds))) {
    DownLoop* const over = innermost;
    innermost = over->outer;
    std::free(over);
  }
}

bool is_on_llvm() {
  static const bool is = ::dlsym(RTLD_DEFAULT, "__kmpc_dispatch_init_8u") != nullptr;
  return is;
}

void to_values(const DownLoop& loop, Number* begin, Number* end) {
  *begin = loop.first + *begin * loop.step;
  *end = loop.first + *end * loop.step;
}

// `start` asks the runtime for the first chunk of a loop of so many iterations, counted up.
template <typename Start>
bool start_down(Number first, Number end, Number step, Number* chunk_begin, Number* chunk_end, Start start) {
  auto* const loop = static_cast<DownLoop*>(std::malloc(sizeof(DownLoop)));
  if (loop == nullptr) std::abort();  // as the runtime itself without memory
  *loop = {innermost, chunk_begin, first, step};
  innermost = loop;
  if (!start(foretask::ompt::count_down(first, end, step))) return false;
  to_values(*loop, chunk_begin, chunk_end);
  return true;
}

using Next = bool (*)(Number*, Number*);

bool next_chunk(Next runtime, Number* begin, Number* end) {
  forget_deeper(begin, false);
  if (!runtime(begin, end)) return false;
  if (innermost != nullptr && innermost->bounds == begin) to_values(*innermost, begin, end);
  return true;
}

bool is_down(bool counts_up, const Number* bounds) {
  forget_deeper(bounds, true);
  return !counts_up && is_on_llvm();
}

}  // namespace

#define FORETASK_GOMP_NEXT(schedule)                                                                                   \
  extern "C" __attribute__((visibility("default"))) bool GOMP_loop_ull_##schedule##_next(Number* begin, Number* end) { \
    static const auto runtime = FORETASK_NEXT(GOMP_loop_ull_##schedule##_next);                                        \
    return next_chunk(runtime, begin, end);                                                                            \
  }

#define FORETASK_GOMP_LOOP(schedule, kind)                                                                    \
  extern "C" __attribute__((visibility("default"))) bool GOMP_loop_ull_##schedule##_start(                    \
      bool up, Number first, Number last, Number step, Number chunk, Number* begin, Number* end) {            \
    static const auto runtime = FORETASK_NEXT(GOMP_loop_ull_##schedule##_start);                              \
    if (up ? first < last : first > last) foretask::ompt::announce(kind, chunk, __builtin_return_address(0)); \
    if (!is_down(up, begin)) return runtime(up, first, last, step, chunk, begin, end);                        \
    return start_down(first, last, step, begin, end,                                                          \
                      [&](Number count) { return runtime(true, 0, count, 1, chunk, begin, end); });           \
  }                                                                                                           \
  FORETASK_GOMP_NEXT(schedule)

// The schedule is the user's, by OMP_SCHEDULE.
#define FORETASK_GOMP_RUNTIME_LOOP(schedule, kind)                                                        \
  extern "C" __attribute__((visibility("default"))) bool GOMP_loop_ull_##schedule##_start(                \
      bool up, Number first, Number last, Number step, Number* begin, Number* end) {                      \
    static const auto runtime = FORETASK_NEXT(GOMP_loop_ull_##schedule##_start);                          \
    if (up ? first < last : first > last) foretask::ompt::announce(kind, 0, __builtin_return_address(0)); \
    if (!is_down(up, begin)) return runtime(up, first, last, step, begin, end);                           \
    return start_down(first, last, step, begin, end,                                                      \
                      [&](Number count) { return runtime(true, 0, count, 1, begin, end); });              \
  }                                                                                                       \
  FORETASK_GOMP_NEXT(schedule)

FORETASK_FOR_EACH_GOMP_LOOP(FORETASK_GOMP_LOOP, FORETASK_GOMP_RUNTIME_LOOP)
