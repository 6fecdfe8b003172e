// SPDX-License-Identifier: Apache-2.0
#include "open_loops.hpp"

#include <cstdlib>
#include <new>
#include <utility>

#include "foretask/task_hook.h"
#include "kit/record.hpp"

namespace foretask::ompt {

constinit __attribute__((tls_model("initial-exec"))) thread_local OpenLoops* open_loops = nullptr;
bool follows_iterations = false;

namespace {

constexpr std::uint64_t kTicksOfEvent = 30'000;
constexpr std::uint32_t kEventsUntilDoubled = 64;
constexpr std::uint32_t kMostUnread = 64;

std::int64_t floor_divided(std::int64_t value, std::int64_t by) {
  const std::int64_t quotient = value / by;
  return quotient * by == value || (value < 0) == (by < 0) ? quotient : quotient - 1;
}

}  // namespace

void OpenLoops::open(foretask_stream* stream) {
  if (void* const place = std::malloc(sizeof(OpenLoops))) open_loops = new (place) OpenLoops(stream);
}

void OpenLoops::close() { std::free(std::exchange(open_loops, nullptr)); }

void OpenLoops::begin(std::uint64_t task, std::uint32_t construct, std::uint64_t iterations, const void* code) {
  for (std::uint32_t depth = 0; depth < depth_ && depth < kMostDepth; ++depth)
    if (loops_[depth].task == task) depth_ = depth;
  if (++depth_ > kMostDepth) return;
  Loop& loop = loops_[depth_ - 1];
  loop = {};
  loop.task = task;
  loop.call = announced_;
  announced_ = {};
  if (std::exchange(is_ordered_, false)) loop.call.schedule |= FORETASK_SCHEDULE_ORDERED;
  loop.read_every = 1;
  loop.threshold = kTicksOfEvent;
  if (!loop.call.code) loop.call.code = code;
  if (!stream_) return;
  write_begin(loop.call, construct, iterations);
  loop.last_ticks = stream_->last_ticks;
}

void OpenLoops::make_tasks(const void* code, std::uint64_t iterations, bool is_runtimes_choice) {
  const LoopCall call{.code = code,
                      .schedule = is_runtimes_choice ? FORETASK_SCHEDULE_AUTO : FORETASK_SCHEDULE_UNKNOWN};
  write_begin(call, FORETASK_CONSTRUCT_TASKLOOP, iterations);
}

void OpenLoops::write_begin(const LoopCall& call, std::uint32_t construct, std::uint64_t iterations) {
  kit::record(stream_, FORETASK_EVENT_LOOP_BEGIN, reinterpret_cast<std::uintptr_t>(call.code), construct, call.schedule,
              iterations, call.chunk);
}

void OpenLoops::end() {
  if (depth_ == 0) return;
  if (stream_ && depth_ <= kMostDepth) {
    Loop& loop = loops_[depth_ - 1];
    if (loop.chunks != 0) write_chunks(loop);
    foretask_record_extended_(stream_, FORETASK_EVENT_LOOP_END, nullptr, 0);
  }
  --depth_;
}

void OpenLoops::leave(std::uint64_t task) {
  if (!is_inside() || loops_[depth_ - 1].task != task) return;
  if (loops_[depth_ - 1].chunks != 0) write_chunks(loops_[depth_ - 1]);
  --depth_;
}

std::int64_t OpenLoops::number_of(std::int64_t value, std::int64_t step) const {
  const LoopCall& call = loops_[depth_ - 1].call;
  const std::int64_t by = call.step != 0 ? call.step : step;
  // Bounds may lie 2^64 apart: differences are taken modulo that.
  const auto from =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(call.lower));
  return by == 0 || by == -1
             ? static_cast<std::int64_t>(by == 0 ? static_cast<std::uint64_t>(from) : -static_cast<std::uint64_t>(from))
             : floor_divided(from, by);
}

void OpenLoops::start_chunk(const Chunk& chunk) {
  Loop& loop = loops_[depth_ - 1];
  // LLVM's threads take others' chunks once they have run their own: these begin a new event.
  if (loop.chunks != 0 && chunk.first < loop.run.last && stream_) write_chunks(loop);
  if (loop.chunks == 0) loop.run.first = chunk.first;
  loop.run.last = chunk.last;
  loop.run.iterations += chunk.iterations;
  ++loop.chunks;
  ++loop.unread;
  loop.iterations += chunk.iterations;
  if (follows_iterations) foretask_hook_share_iterations(chunk.iterations);
}

void OpenLoops::finish_chunk() {
  if (!stream_) return;
  Loop& loop = loops_[depth_ - 1];
  if (loop.chunks == 0 || loop.unread < loop.read_every) return;
  loop.unread = 0;
  if (foretask_stream_ticks(stream_) - loop.last_ticks >= loop.threshold) {
    loop.read_every = loop.read_every > 1 ? loop.read_every / 2 : 1;
    write_chunks(loop);
  } else if (loop.read_every < kMostUnread) {
    loop.read_every *= 2;
  }
}

void OpenLoops::write_chunks(Loop& loop) {
  kit::record(stream_, FORETASK_EVENT_LOOP_CHUNKS, loop.chunks, loop.run.iterations, loop.run.first, loop.run.last);
  loop.last_ticks = stream_->last_ticks;
  loop.run = {};
  loop.chunks = 0;
  if (++loop.events < kEventsUntilDoubled) return;
  loop.events = 0;
  loop.threshold *= 2;
}

}  // namespace foretask::ompt
