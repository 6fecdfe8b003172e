// SPDX-License-Identifier: Apache-2.0
// Samples in which code the program's threads are, some 250 times a second of each one's time on a core, into a
// stream of its own. A thread of foretask's reads them five times a second; the program's threads do nothing for it.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <cstdint>
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

  // Returns when the process's threads are sampled, or cannot be; some 0.2 ms. Once; not aside.
  void start(double ticks_per_ns) noexcept;
  // The last samples are written when it returns. Any thread, any number of times, also at once; not aside. Nothing in
  // a forked child.
  void stop() noexcept;
  // After stop().
  [[nodiscard]] const trace::CodeSampling& facts() const noexcept { return facts_; }

 private:
  void run() noexcept;
  void follow() noexcept;
  void write(std::vector<CodeSample>& samples) noexcept;
  // `now`: not before the sample was taken.
  void append(const CodeSample& sample, const base::ClockPair& now) noexcept;

  Session& session_;
  WorkerStream* stream_ = nullptr;  // from the first sample on
  double ticks_per_ns_ = 1;
  trace::CodeSampling facts_;
  std::uint64_t read_ = 0;
  std::uint32_t keeps_one_in_ = 1;
  pthread_t thread_{};
  sem_t is_open_{};
  sem_t is_over_{};
  std::mutex stop_mutex_;
  bool is_running_ = false;  // with stop_mutex_, once start() has returned
};

}  // namespace foretask::runtime
