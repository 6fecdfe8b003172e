// SPDX-License-Identifier: Apache-2.0
// The streams of this process's recording. One a process; opening a stream takes a lock, appending never does.
//
// A new stream takes some 0.5 ms. So a thread goes on with the stream of one that has ended, where there is one: a
// program that starts thousands of short threads has as many streams as threads at once. The program's first thread has
// a stream of its own, since its times reach back to the program's start.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/counters/counter_source.hpp"
#include "runtime/recording/worker_stream.hpp"

namespace foretask::runtime {

// What was lost, and why.
struct Losses {
  std::uint64_t dropped_events = 0;
  std::uint32_t streams_refused = 0;  // threads that got no stream
  StopReason reason = StopReason::kNone;
  int error_code = 0;
};

class Session {
 public:
  static constexpr std::int64_t kNoThread = 0;

  // `folder` exists and is empty of streams. `max_bytes` 0: no limit.
  Session(std::string folder, const trace::TraceId& uuid, std::uint64_t max_bytes);

  // Threads that open a stream from here on have their counters read. Before the first of them.
  void set_counters(std::unique_ptr<CounterSource> source, std::uint32_t sampling);
  // What threads' times are recorded by. Before the first stream.
  void set_times_clock(const TimesClock& clock) noexcept { times_clock_ = clock; }
  [[nodiscard]] const TimesClock& times_clock() const noexcept { return times_clock_; }
  // Before the first stream; none where it is not called.
  void set_grain(const Grain& grain);
  // The longest so far, in ticks; 0: none.
  [[nodiscard]] std::int64_t grain_ticks() const noexcept { return kinds_ ? kinds_->grain_ticks() : 0; }
  // No task is counted from here on. Any thread.
  void stop_counting() noexcept {
    if (kinds_) kinds_->stop();
  }
  // Null where none were asked for.
  [[nodiscard]] const CounterSource* counters() const noexcept { return counters_.get(); }
  // Threads that could not have them, and threads that lost them.
  [[nodiscard]] std::uint32_t threads_without_counters() const noexcept { return counter_failures_; }

  // A new stream for the system's thread `thread`, or for events that are no thread's; null when it cannot be had,
  // which is counted where it is for a thread. Thread safe. Aside (base/run_aside.hpp), as close_stream() and stop()
  // are.
  [[nodiscard]] WorkerStream* open_stream(std::int64_t thread = kNoThread) noexcept;
  // The stream of a thread that has ended, for `thread`; null where there is none. Thread safe; not aside.
  [[nodiscard]] WorkerStream* take_left_stream(std::int64_t thread) noexcept;
  // The counters of the calling thread, whose stream it is. Thread safe; not aside: they are this thread's.
  void open_counters(WorkerStream& stream) noexcept;

  // `thread`, which ends, is the calling one and has detached its counters. Keeps its stream for another thread. False
  // where it is to be closed. Thread safe; not aside, which would take as long as all the rest.
  [[nodiscard]] bool leave_stream(WorkerStream& stream, std::int64_t thread) noexcept;
  // Closes a stream whose counters are detached. Thread safe.
  void close_stream(WorkerStream* stream) noexcept;

  // Stops every stream; closes (trims) `own` when it is given. The others' mappings stay, since their threads may be in
  // the middle of an append. Idempotent.
  void stop(WorkerStream* own) noexcept;

  // In a forked child, where only the forking thread is left: nothing more is written or counted.
  void abandon_after_fork() noexcept;

  // Held over fork() so that the child does not inherit a locked mutex.
  std::mutex& mutex() noexcept { return mutex_; }

  [[nodiscard]] Losses losses();
  [[nodiscard]] std::uint32_t stream_count();
  // Of each stream by its number, what its file will not be shorter than.
  [[nodiscard]] std::vector<std::uint64_t> stream_bytes();
  // The calling thread, `thread`, is the stream's owner, and begins or ends. Thread safe; not aside.
  void note_thread(WorkerStream& stream, std::int64_t thread) noexcept;
  // The processors that the streams' latest threads may run on, or might at their end.
  [[nodiscard]] std::vector<cpu_set_t> affinities();
  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

 private:
  struct LeftStream {
    WorkerStream* stream;
    std::int64_t thread;  // that left it
  };
  std::string folder_;
  trace::TraceId uuid_;
  ByteBudget budget_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<WorkerStream>> streams_;
  std::vector<LeftStream> left_;  // the longest ago first; with room for all
  std::uint32_t refused_ = 0;
  StopReason refusal_ = StopReason::kNone;
  int refusal_code_ = 0;
  bool stopped_ = false;
  std::unique_ptr<CounterSource> counters_;
  std::uint32_t counter_sampling_ = 1;
  TimesClock times_clock_;
  Grain grain_;
  std::unique_ptr<TaskKinds> kinds_;  // null: all events stay
  std::atomic<std::uint32_t> counter_failures_{0};
};

}  // namespace foretask::runtime
