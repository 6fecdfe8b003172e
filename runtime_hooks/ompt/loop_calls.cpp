// SPDX-License-Identifier: Apache-2.0
// HOT: the functions by which compiled code asks for iterations, in front of LLVM's: the schedule, the bounds and the
// chunks that OMPT says nothing of. The launcher preloads this library for programs that call them.
#include <cstdint>
#include <type_traits>

#include "foretask/foretask.h"
#include "kit/next_function.hpp"
#include "open_loops.hpp"

namespace {

using foretask::ompt::Chunk;
using foretask::ompt::LoopCall;
using foretask::ompt::open_loops;

// kmp.h's sched_type: bits above are modifiers, ordered ones lie 32 higher.
constexpr std::int32_t kModifiers = (1 << 29) | (1 << 30);
constexpr std::int32_t kFirstOrdered = 64;
constexpr std::int32_t kToOrdered = 32;
enum Kmp : std::int32_t {
  kStaticChunked = 33,
  kStatic = 34,
  kDynamic = 35,
  kGuided = 36,
  kRuntime = 37,
  kAuto = 38,
  kStaticSteal = 44,
  kStaticBalancedChunked = 45,
  kGuidedSimd = 46,
  kRuntimeSimd = 47
};

// The schedule and the chunks of a loop with schedule(runtime): those of OMP_SCHEDULE or omp_set_schedule().
void ask_runtime(LoopCall& call) {
  using GetSchedule = void (*)(std::int32_t*, std::int32_t*);
  static const auto get = foretask::kit::find_anywhere<GetSchedule>("omp_get_schedule");
  if (get == nullptr) return;
  std::int32_t kind = 0;
  std::int32_t chunk = 0;
  get(&kind, &chunk);
  constexpr std::uint32_t kinds[] = {FORETASK_SCHEDULE_UNKNOWN, FORETASK_SCHEDULE_STATIC, FORETASK_SCHEDULE_DYNAMIC,
                                     FORETASK_SCHEDULE_GUIDED, FORETASK_SCHEDULE_AUTO};
  kind &= 0xff;  // without the monotonic modifier
  if (kind < 1 || kind > 4) return;
  call.schedule = kinds[kind];
  call.chunk = chunk > 0 ? static_cast<std::uint64_t>(chunk) : 0;
  if (call.schedule == FORETASK_SCHEDULE_STATIC && call.chunk != 0) call.schedule = FORETASK_SCHEDULE_STATIC_CHUNKED;
}

LoopCall call_of(std::int32_t kmp, std::int64_t chunk, const void* code, std::int64_t lower, std::int64_t step) {
  LoopCall call{code, FORETASK_SCHEDULE_UNKNOWN, 0, lower, step};
  std::int32_t kind = kmp & ~kModifiers;
  const bool is_ordered = kind > kFirstOrdered && kind < kFirstOrdered + kToOrdered;
  if (is_ordered) kind -= kToOrdered;
  if (chunk > 0) call.chunk = static_cast<std::uint64_t>(chunk);
  switch (kind) {
    case kStatic:
      call.schedule = FORETASK_SCHEDULE_STATIC;
      call.chunk = 0;
      break;
    case kStaticChunked:
    case kStaticBalancedChunked:
      call.schedule = FORETASK_SCHEDULE_STATIC_CHUNKED;
      break;
    case kDynamic:
    case kStaticSteal:
      call.schedule = FORETASK_SCHEDULE_DYNAMIC;
      break;
    case kGuided:
    case kGuidedSimd:
      call.schedule = FORETASK_SCHEDULE_GUIDED;
      break;
    case kAuto:
      call.schedule = FORETASK_SCHEDULE_AUTO;
      break;
    case kRuntime:
    case kRuntimeSimd:
      call.chunk = 0;
      ask_runtime(call);
      break;
    default:
      break;
  }
  if (is_ordered) call.schedule |= FORETASK_SCHEDULE_ORDERED;
  return call;
}

// Of a chunk with these bounds, both inclusive.
template <typename T>
std::uint64_t iterations_between(T lower, T upper, std::int64_t step) {
  if (step > 0)
    return upper < lower ? 0
                         : (static_cast<std::uint64_t>(upper) - static_cast<std::uint64_t>(lower)) /
                                   static_cast<std::uint64_t>(step) +
                               1;
  if (step < 0)
    return lower < upper ? 0
                         : (static_cast<std::uint64_t>(lower) - static_cast<std::uint64_t>(upper)) /
                                   -static_cast<std::uint64_t>(step) +
                               1;
  return 0;
}

template <typename T>
using Signed = std::make_signed_t<T>;

// The thread's own share, as the runtime left it in the bounds.
template <typename T>
void start_static_share(const LoopCall& call, T lower, T upper, T last_of_all, Signed<T> stride) {
  if (!open_loops->is_inside()) return;
  Chunk chunk;
  chunk.iterations = iterations_between(lower, upper, call.step);
  if (chunk.iterations == 0) return;
  chunk.first = open_loops->number_of(static_cast<std::int64_t>(lower), 0);
  const std::int64_t end = open_loops->number_of(static_cast<std::int64_t>(last_of_all), 0);
  chunk.last = chunk.first + static_cast<std::int64_t>(chunk.iterations) - 1;
  const std::int64_t jump = call.step == 0 ? 0 : static_cast<std::int64_t>(stride) / call.step;
  if (call.schedule == FORETASK_SCHEDULE_STATIC_CHUNKED && jump > 0) {
    // Its chunks lie `jump` iterations apart.
    const std::int64_t length = chunk.last - chunk.first + 1;
    const std::int64_t more = (end - chunk.first) / jump;
    const std::int64_t last_begin = chunk.first + more * jump;
    const std::int64_t last_length = end - last_begin + 1 < length ? end - last_begin + 1 : length;
    chunk.iterations = static_cast<std::uint64_t>(more * length + last_length);
    chunk.last = last_begin + last_length - 1;
  } else if (chunk.last > end) {
    chunk.last = end;  // the last thread's
    chunk.iterations = static_cast<std::uint64_t>(chunk.last - chunk.first + 1);
  }
  open_loops->start_chunk(chunk);
}

template <typename T, typename Runtime>
void static_init(Runtime runtime, const void* code, void* place, std::int32_t thread, std::int32_t schedule,
                 std::int32_t* is_last, T* lower, T* upper, Signed<T>* stride, Signed<T> step, Signed<T> chunk) {
  if (open_loops == nullptr) return runtime(place, thread, schedule, is_last, lower, upper, stride, step, chunk);
  const LoopCall call = call_of(schedule, chunk, code, static_cast<std::int64_t>(*lower), step);
  const T last_of_all = *upper;
  open_loops->announce(call);
  runtime(place, thread, schedule, is_last, lower, upper, stride, step, chunk);
  // Where it still stands, the runtime began no loop: there is none to run, or the region has one thread.
  if (open_loops->is_announced()) return open_loops->announce({});
  start_static_share(call, *lower, *upper, last_of_all, stride ? *stride : Signed<T>{0});
}

template <typename T, typename Runtime>
void dispatch_init(Runtime runtime, const void* code, void* place, std::int32_t thread, std::int32_t schedule, T lower,
                   T upper, Signed<T> step, Signed<T> chunk) {
  if (open_loops != nullptr)
    open_loops->announce(call_of(schedule, chunk, code, static_cast<std::int64_t>(lower), step));
  runtime(place, thread, schedule, lower, upper, step, chunk);
  if (open_loops != nullptr) open_loops->announce({});
}

template <typename T, typename Runtime>
int dispatch_next(Runtime runtime, void* place, std::int32_t thread, std::int32_t* is_last, T* lower, T* upper,
                  Signed<T>* stride) {
  if (open_loops == nullptr || !open_loops->is_inside()) return runtime(place, thread, is_last, lower, upper, stride);
  open_loops->finish_chunk();
  const int more = runtime(place, thread, is_last, lower, upper, stride);
  if (more == 0 || open_loops == nullptr || !open_loops->is_inside()) return more;
  const std::int64_t step = stride ? static_cast<std::int64_t>(*stride) : 1;
  Chunk chunk;
  chunk.iterations = iterations_between(*lower, *upper, step);
  chunk.first = open_loops->number_of(static_cast<std::int64_t>(*lower), step);
  chunk.last = chunk.first + static_cast<std::int64_t>(chunk.iterations) - 1;
  open_loops->start_chunk(chunk);
  return more;
}

// `division`: 0 where the program says nothing of how many tasks there are.
void announce_taskloop(const void* code, const std::uint64_t* lower, const std::uint64_t* upper, std::int64_t step,
                       std::int32_t division) {
  if (open_loops == nullptr) return;
  const auto iterations =
      iterations_between(static_cast<std::int64_t>(*lower), static_cast<std::int64_t>(*upper), step);
  open_loops->make_tasks(code, iterations, division == 0);
}

}  // namespace

#define FORETASK_KMPC_TASKLOOP(name, declared, given)                                                                \
  extern "C" FORETASK_API void name(void* place, std::int32_t thread, void* task, std::int32_t condition,            \
                                    std::uint64_t* lower, std::uint64_t* upper, std::int64_t step,                   \
                                    std::int32_t no_group, std::int32_t division, std::uint64_t number declared,     \
                                    void* copy) {                                                                    \
    announce_taskloop(__builtin_return_address(0), lower, upper, step, division);                                    \
    FORETASK_NEXT(name)(place, thread, task, condition, lower, upper, step, no_group, division, number given, copy); \
  }
#define FORETASK_COMMA ,
FORETASK_KMPC_TASKLOOP(__kmpc_taskloop, , )
FORETASK_KMPC_TASKLOOP(__kmpc_taskloop_5, FORETASK_COMMA std::int32_t modifier, FORETASK_COMMA modifier)

// Comes before a loop with an ordered(n) clause.
extern "C" FORETASK_API void __kmpc_doacross_init(void* place, std::int32_t thread, std::int32_t dimensions,
                                                  const void* bounds) {
  if (open_loops != nullptr) open_loops->announce_ordered();
  FORETASK_NEXT(__kmpc_doacross_init)(place, thread, dimensions, bounds);
}

#define FORETASK_KMPC_LOOP(suffix, T)                                                                                 \
  extern "C" FORETASK_API void __kmpc_for_static_init_##suffix(                                                       \
      void* place, std::int32_t thread, std::int32_t schedule, std::int32_t* is_last, T* lower, T* upper,             \
      Signed<T>* stride, Signed<T> step, Signed<T> chunk) {                                                           \
    static_init<T>(FORETASK_NEXT(__kmpc_for_static_init_##suffix), __builtin_return_address(0), place, thread,        \
                   schedule, is_last, lower, upper, stride, step, chunk);                                             \
  }                                                                                                                   \
  extern "C" FORETASK_API void __kmpc_dispatch_init_##suffix(void* place, std::int32_t thread, std::int32_t schedule, \
                                                             T lower, T upper, Signed<T> step, Signed<T> chunk) {     \
    dispatch_init<T>(FORETASK_NEXT(__kmpc_dispatch_init_##suffix), __builtin_return_address(0), place, thread,        \
                     schedule, lower, upper, step, chunk);                                                            \
  }                                                                                                                   \
  extern "C" FORETASK_API int __kmpc_dispatch_next_##suffix(void* place, std::int32_t thread, std::int32_t* is_last,  \
                                                            T* lower, T* upper, Signed<T>* stride) {                  \
    return dispatch_next<T>(FORETASK_NEXT(__kmpc_dispatch_next_##suffix), place, thread, is_last, lower, upper,       \
                            stride);                                                                                  \
  }

FORETASK_KMPC_LOOP(4, std::int32_t)
FORETASK_KMPC_LOOP(4u, std::uint32_t)
FORETASK_KMPC_LOOP(8, std::int64_t)
FORETASK_KMPC_LOOP(8u, std::uint64_t)

bool foretask::ompt::sees_loop_calls() {
  return foretask::kit::find_anywhere<void*>("__kmpc_dispatch_next_8") ==
         reinterpret_cast<void*>(&__kmpc_dispatch_next_8);
}
