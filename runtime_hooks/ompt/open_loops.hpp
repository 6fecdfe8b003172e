// SPDX-License-Identifier: Apache-2.0
// HOT: the worksharing constructs that a thread is in, and the chunks that it has run of them, as events where the
// program is recorded. Neighbouring chunks become one event where they are shorter than some 10 us together, and more
// the longer a loop goes on: a loop of 10^8 chunks does not write 10^8 events.
#pragma once

#include <cstdint>

#include "foretask/hook.h"

namespace foretask::ompt {

// What compiled code says of a loop before the runtime does.
struct LoopCall {
  const void* code = nullptr;  // null: as the runtime says
  std::uint32_t schedule = FORETASK_SCHEDULE_UNKNOWN;
  std::uint64_t chunk = 0;
  std::int64_t lower = 0;  // of the loop's variable, as is the step
  std::int64_t step = 0;   // 0: unknown
};

// Iterations of a loop, numbered from 0, or by lower bound / step where its beginning is unknown.
struct Chunk {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::uint64_t iterations = 0;  // fewer than last - first + 1 where others lie between
};

class OpenLoops {
 public:
  // Null: nothing is recorded.
  explicit OpenLoops(foretask_stream* stream) : stream_(stream) {}

  // The calling thread's own, in open_loops. The second is called where the thread ends.
  static void open(foretask_stream* stream);
  static void close();

  // The next begin() is of an ordered loop, whatever announce() says.
  void announce_ordered() { is_ordered_ = true; }
  // The next begin() is of this loop.
  void announce(const LoopCall& call) { announced_ = call; }
  [[nodiscard]] bool is_announced() const { return announced_.code != nullptr; }

  // `task`: whose construct it is. What the task was in before it left without a word, by a cancellation or because GCC
  // says no end of it, is forgotten.
  void begin(std::uint64_t task, std::uint32_t construct, std::uint64_t iterations, const void* code);
  void end();
  // The running task makes the tasks of a taskloop: as many as the runtime chooses, where the program says nothing.
  void make_tasks(const void* code, std::uint64_t iterations, bool is_runtimes_choice);
  // The task comes to a barrier: what it is in is cancelled, or a GCC program's single, and is over.
  void leave(std::uint64_t task);

  // The thread is about to run a chunk of its innermost loop.
  void start_chunk(const Chunk& chunk);
  // It is done with what it was given.
  void finish_chunk();

  // Of the innermost loop: the number of the iteration whose variable is `value`. Where the loop's beginning is
  // unknown: value / step.
  [[nodiscard]] std::int64_t number_of(std::int64_t value, std::int64_t step) const;
  [[nodiscard]] bool is_inside() const { return depth_ != 0 && depth_ <= kMostDepth; }

  // Of the innermost loop: the step of its variable; 0: unknown.
  [[nodiscard]] std::int64_t step() const { return is_inside() ? loops_[depth_ - 1].call.step : 0; }

  // Of the innermost loop: where it is in the program, and how many iterations the thread was given so far.
  [[nodiscard]] const void* code() const { return is_inside() ? loops_[depth_ - 1].call.code : nullptr; }
  [[nodiscard]] std::uint64_t iterations() const { return is_inside() ? loops_[depth_ - 1].iterations : 0; }

 private:
  static constexpr std::uint32_t kMostDepth = 8;  // regions within regions, each within a loop
  struct Loop {
    std::uint64_t task;
    LoopCall call;
    std::uint64_t iterations;
    Chunk run;                 // what was run and is not written yet
    std::uint32_t chunks;      // how many these are
    std::uint32_t unread;      // chunks since the clock was read
    std::uint32_t read_every;  // chunks between two readings
    std::uint32_t events;      // written since the threshold was doubled
    std::uint64_t threshold;   // ticks that an event stands for
    std::uint64_t last_ticks;  // of the loop's last event
  };

  void write_begin(const LoopCall& call, std::uint32_t construct, std::uint64_t iterations);
  void write_chunks(Loop& loop);

  foretask_stream* stream_;
  LoopCall announced_;
  bool is_ordered_ = false;
  std::uint32_t depth_ = 0;
  Loop loops_[kMostDepth];
};

// The calling thread's; null where there is no memory, or nobody wants to know.
extern constinit __attribute__((tls_model("initial-exec"))) thread_local OpenLoops* open_loops;

// Whether foretask_hook_share_iterations() is told of each chunk.
extern bool follows_iterations;

// Whether this library stands in front of the runtime's functions for loops: it was preloaded.
[[nodiscard]] bool sees_loop_calls();

}  // namespace foretask::ompt
