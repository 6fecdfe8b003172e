// SPDX-License-Identifier: Apache-2.0
// A small work-stealing thread pool. It asks foretask nothing: whoever submits a job says how urgent it is.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "foretask/foretask.h"

namespace examples {

// Each worker has a queue. It takes the most urgent job there, or else steals the most urgent one of the other queues.
class Pool {
 public:
  explicit Pool(int workers, int worker_class = 0) : queues_(static_cast<std::size_t>(workers)) {
    for (Queue& own : queues_)
      threads_.emplace_back([this, &own, worker_class] {
        foretask_set_worker_class(worker_class);  // its jobs' times are learned for this class
        work(own);
      });
  }
  ~Pool() {
    wait();
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    more_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  [[nodiscard]] std::size_t workers() const { return queues_.size(); }

  // From any thread: a job's own jobs go into its worker's queue, others into each queue in turn. Of equally urgent
  // ones the first goes first. `urgency` must not be NaN.
  void submit(double urgency, std::function<void()> body) {
    std::unique_lock lock(mutex_);
    const std::uint64_t number = submitted_++;
    ++ready_;
    ++unfinished_;
    lock.unlock();
    Queue& queue = pool_here_ == this ? *queue_here_ : queues_[number % queues_.size()];
    {
      const std::lock_guard queue_lock(queue.mutex);
      queue.jobs.emplace(Key{-urgency, number}, std::move(body));
    }
    more_.notify_one();
  }

  // Until all jobs have ended, those of jobs as well.
  void wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return unfinished_ == 0; });
  }

 private:
  using Key = std::pair<double, std::uint64_t>;  // the least one comes first
  using Body = std::function<void()>;
  struct Queue {
    std::mutex mutex;
    std::map<Key, Body> jobs;
  };

  void work(Queue& own) {
    pool_here_ = this;
    queue_here_ = &own;
    for (;;) {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [this] { return ready_ > 0 || stop_; });
      if (ready_ == 0) return;
      --ready_;
      lock.unlock();
      take(own)();
      lock.lock();
      if (--unfinished_ == 0) done_.notify_all();
    }
  }

  // Called once for each job that is ready: there is one, or about to be.
  Body take(Queue& own) {
    for (;;) {
      Queue* from = &own;
      if (first(own) == kNone)
        from = &*std::min_element(queues_.begin(), queues_.end(),
                                  [](Queue& one, Queue& other) { return first(one) < first(other); });
      const std::lock_guard lock(from->mutex);
      if (!from->jobs.empty()) return std::move(from->jobs.extract(from->jobs.begin()).mapped());
    }
  }

  static Key first(Queue& queue) {
    const std::lock_guard lock(queue.mutex);
    return queue.jobs.empty() ? kNone : queue.jobs.begin()->first;
  }

  static constexpr Key kNone{std::numeric_limits<double>::infinity(), 0};
  static inline thread_local Pool* pool_here_ = nullptr;
  static inline thread_local Queue* queue_here_ = nullptr;

  std::vector<Queue> queues_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;  // of what follows
  std::condition_variable more_;
  std::condition_variable done_;
  std::uint64_t submitted_ = 0;
  std::size_t ready_ = 0;  // in queues, and not yet given to a worker
  std::size_t unfinished_ = 0;
  bool stop_ = false;
};

}  // namespace examples
