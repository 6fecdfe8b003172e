// SPDX-License-Identifier: Apache-2.0
// The one thread that learns: it drains the threads' queues, fits the models and publishes snapshots. Nobody waits for
// it but who asks to (flush). Every function: any thread, but where it says otherwise.
#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "predict/online/learned_kernel.hpp"
#include "predict/online/sample_queue.hpp"

namespace foretask::predict {

struct LearnerStatistics {
  std::uint64_t learned = 0;
  std::uint64_t dropped = 0;
};

class Learner {
 public:
  Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  ~Learner() { stop(); }

  // Called by the thread with each round that finds samples or is asked for by a flush. Before start().
  void call_each_round(void (*function)() noexcept) noexcept { each_round_ = function; }

  // Starts the thread, if it does not run yet; false where the system has none to give, and after stop().
  bool start();

  // Learns what is queued and ends the thread, for good.
  void stop() noexcept;

  // A queue for the calling thread to push into until it calls close(); null without memory. In a signal handler as
  // well.
  [[nodiscard]] SampleQueue* open_queue() noexcept { return queues_.open(); }

  // False when it took longer than `timeout_ms`, or nothing learns.
  bool flush(std::uint32_t timeout_ms);

  // While it is held the models do not change, and may be changed by the holder, who then says changed().
  [[nodiscard]] std::unique_lock<std::mutex> lock_models();
  void changed(LearnedKernel& kernel, std::size_t worker_class);

  [[nodiscard]] LearnerStatistics statistics();

  // Around fork(): the child has the models as they were, none of the queued samples (the parent learns them) and no
  // thread until it starts one.
  void before_fork();
  void after_fork_in_parent();
  // Until then the child's models are locked: nobody else can learn there.
  void after_fork_in_child();

 private:
  // The learner's own way to them: a mutex is not fair, and a busy learner would take it again before anybody who
  // waits.
  [[nodiscard]] std::unique_lock<std::mutex> lock_models_last();
  static void* run_thread(void* self);
  void run() noexcept;
  // Takes up to what is queued now; returns how much that was.
  std::size_t drain();
  void learn_batch();
  void learn(const Sample& sample);
  void mark_unpublished(LearnedKernel& kernel, std::size_t worker_class);
  void search_terms();
  [[nodiscard]] bool publishing_is_due(std::size_t drained) const noexcept;
  void publish();
  void sleep(std::size_t drained, bool is_left, std::uint64_t& idle_ms);

  std::mutex thread_mutex_;  // start and stop; taken before the others
  bool running_ = false;
  bool ended_ = false;
  pthread_t thread_{};

  void (*each_round_)() noexcept = nullptr;

  SampleQueues queues_;
  std::mutex queues_mutex_;           // for who is not the learner and goes through them
  std::uint64_t dropped_before_ = 0;  // of queues that are gone

  // What was drained of one queue; the sample of the same kernel that follows each; each kernel's first.
  std::vector<Sample> batch_;
  std::vector<std::uint32_t> following_;
  std::vector<std::uint32_t> firsts_;

  std::mutex models_;
  std::atomic<int> waiting_{0};  // for models_, but for the learner
  std::vector<LearnedKernel*> unpublished_;
  struct Search {
    LearnedKernel* kernel = nullptr;
    std::size_t worker_class = 0;
  };
  std::deque<Search> searches_;  // that are due
  bool is_news_ = false;         // the round has samples of new kernels
  Reclaimer reclaimer_;
  std::uint64_t learned_ = 0;
  std::int64_t search_ns_ = 0;
  std::int64_t started_ns_ = 0;
  std::int64_t published_ns_ = 0;   // when it was last done
  std::int64_t publishing_ns_ = 0;  // how long it took
  bool failed_ = false;

  std::mutex wake_mutex_;
  std::condition_variable wake_;
  std::condition_variable flushed_;
  std::uint64_t flush_asked_ = 0;
  std::uint64_t flush_done_ = 0;
  bool stopping_ = false;
};

}  // namespace foretask::predict
