// SPDX-License-Identifier: Apache-2.0
// Samples in which code the program's threads are, some 250 times a second of each one's time on a core, into a stream
// of its own.
//
// As long as the program has one thread, that one reads them every 2 s, at an event of its own, and at the end: a
// second thread would make the C library take locks for each character that the program reads or writes. What is
// sampled between two events that are 30 s or more apart may find the system's buffers full, and is counted as lost.
// When another thread records, a thread of foretask's begins to read them five times a second.
//
// The first thread of a program with a parallel runtime is sampled from the time on when foretask is loaded: what the
// program does before it comes to the runtime is its serial part. Until then nobody reads, so that what is more than
// some 4,000 samples, 16 s, is lost and counted.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "runtime/recording/session.hpp"
#include "runtime/sampling/perf_events.hpp"
#include "trace/process_facts.hpp"

namespace foretask::runtime {

class CodeSampler {
 public:
  explicit CodeSampler(Session& session) noexcept : session_(session) {}
  CodeSampler(const CodeSampler&) = delete;
  CodeSampler& operator=(const CodeSampler&) = delete;

  // As the library is loaded, before there is a recording.
  static void begin_early() noexcept;
  // What that took, which is no time of the program's.
  [[nodiscard]] static base::Ticks early_ticks() noexcept;

  // Returns when the process's threads are sampled, or cannot be; some 0.2 ms. Once; not aside.
  void start(double ticks_per_ns) noexcept;
  // The program has several threads. Any thread, any number of times; not aside.
  void start_thread() noexcept;
  // HOT every 0.25 ms: whether a thread of the program's is to read the samples.
  [[nodiscard]] bool is_due(base::Ticks now) const noexcept { return now >= due_.load(std::memory_order_relaxed); }
  // It does. Any thread; not aside.
  void read() noexcept;
  // The last samples are written when it returns. Any thread, any number of times, also at once; not aside. Nothing in
  // a forked child.
  void stop() noexcept;
  // After stop().
  [[nodiscard]] const trace::CodeSampling& facts() const noexcept { return facts_; }

 private:
  static constexpr base::Ticks kNever = ~base::Ticks{0};

  void open() noexcept;
  void finish() noexcept;
  void start_thread_locked() noexcept;
  void run() noexcept;
  void follow() noexcept;
  void write() noexcept;
  // `now`: not before the sample was taken.
  void append(const CodeSample& sample, const base::ClockPair& now) noexcept;

  Session& session_;
  WorkerStream* stream_ = nullptr;  // from the first sample on
  bool is_refused_ = false;         // no stream can be had
  std::unique_ptr<PerfEvents> events_;
  std::vector<CodeSample> samples_;
  double ticks_per_ns_ = 1;
  base::Ticks pause_ticks_ = 0;
  std::atomic<base::Ticks> due_{kNever};
  trace::CodeSampling facts_;
  std::uint64_t read_ = 0;
  std::uint32_t keeps_one_in_ = 1;
  pthread_t thread_{};
  sem_t is_open_{};
  sem_t is_over_{};
  // Held by whoever reads, or decides who does. All of the above is the thread's while there is one.
  std::mutex mutex_;
  bool is_running_ = false;  // the thread
  bool is_over_now_ = true;  // before start() and after stop()
};

}  // namespace foretask::runtime
