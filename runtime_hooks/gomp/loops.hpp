// SPDX-License-Identifier: Apache-2.0
// HOT: worksharing loops of the calling thread's task, for the functions that begin them and hand out chunks.
#pragma once

#include <omp-tools.h>

#include <cstdint>

#include "foretask/hook.h"
#include "open_loops.hpp"
#include "thread.hpp"

namespace foretask::gomp {

using Unsigned = unsigned long long;

// A loop as its call says it. Of long and of unsigned long long variables alike: modulo 2^64.
struct LoopStart {
  ompt::LoopCall call;
  std::uint64_t iterations = 0;
};

// From `first` to before `last`, which is not `first`. 0: no loop of OpenMP's.
[[nodiscard]] inline std::uint64_t iterations_between(std::uint64_t first, std::uint64_t last, std::uint64_t step,
                                                      bool is_up) {
  if (step == 0) return 0;
  return is_up ? (last - first - 1) / step + 1 : (first - last - 1) / (0 - step) + 1;
}

// `schedule`: a foretask_schedule; unknown where the user says it by schedule(runtime).
[[nodiscard]] LoopStart loop_start(const void* code, std::uint32_t schedule, std::uint64_t chunk, std::int64_t first,
                                   std::int64_t last, std::int64_t step, bool is_up);

inline LoopStart loop_start(const void* code, std::uint32_t schedule, long chunk, long first, long last, long step) {
  return loop_start(code, schedule, static_cast<std::uint64_t>(chunk), first, last, step, step > 0);
}

// A foretask_schedule of GOMP_loop_start's.
[[nodiscard]] std::uint32_t schedule_of(long kind);

inline void begin_loop(const Thread& thread, ompt_work_t kind, const LoopStart& start) {
  if (ompt::open_loops != nullptr) ompt::open_loops->announce(start.call);
  tell<ompt_callback_work>(kind, ompt_scope_begin, nullptr, thread.current->data, start.iterations, start.call.code);
}

// The thread gives back what it was given last.
inline void finish_chunk() {
  if (ompt::open_loops != nullptr && ompt::open_loops->is_inside()) ompt::open_loops->finish_chunk();
}

// It was given what lies from `begin` to before `end`, if there was `more`.
inline void start_chunk(bool more, std::int64_t begin, std::int64_t end) {
  if (!more || ompt::open_loops == nullptr || !ompt::open_loops->is_inside()) return;
  const bool is_up = ompt::open_loops->step() >= 0;
  ompt::Chunk chunk;
  chunk.first = ompt::open_loops->number_of(begin, 0);
  chunk.last = ompt::open_loops->number_of(is_up ? end - 1 : end + 1, 0);
  chunk.iterations = static_cast<std::uint64_t>(chunk.last - chunk.first + 1);
  ompt::open_loops->start_chunk(chunk);
}

inline void end_loop(const Thread& thread, ompt_work_t kind) {
  finish_chunk();
  tell<ompt_callback_work>(kind, ompt_scope_end, nullptr, thread.current->data, std::uint64_t{0}, nullptr);
}

// The calling thread, which leaves the loop; null: nobody listens.
inline Thread* leave_loop(ompt_work_t kind) {
  Thread* const thread = enter();
  if (thread != nullptr) end_loop(*thread, kind);
  return thread;
}

}  // namespace foretask::gomp
