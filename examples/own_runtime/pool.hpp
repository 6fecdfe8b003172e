// SPDX-License-Identifier: Apache-2.0
// A small thread pool whose jobs wait for each other. What has foretask record, learn, predict and count them are the
// lines with `hook`.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "foretask/task_hook.hpp"

namespace examples {

namespace hook = foretask::hook;

class HookedPool {
 public:
  struct Job {
    std::function<void()> body;
    hook::Task task;
    int missing = 1;           // jobs that have not ended, and its own submission
    std::vector<Job*> next{};  // that wait for it
    bool ended = false;
  };

  explicit HookedPool(unsigned workers) : region_(runtime(), workers) {
    for (unsigned i = 0; i < workers; ++i) threads_.emplace_back([this, i] { work(i); });
  }
  ~HookedPool() {
    wait();
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    more_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  // Runs after the jobs of `before`; n is the kernel's parameter.
  Job* submit(const foretask::Kernel& kernel, double n, std::initializer_list<Job*> before,
              std::function<void()> body) {
    std::vector<hook::Edge> edges;
    for (const Job* job : before) edges.push_back(hook::after(job->task));
    const hook::Task task = region_.create(kernel, edges, n);
    const std::lock_guard lock(mutex_);
    Job& job = jobs_.emplace_back(Job{std::move(body), task});
    for (Job* one : before)
      if (!one->ended) {
        ++job.missing;
        one->next.push_back(&job);
      }
    ++unfinished_;
    release(job);
    return &job;
  }

  void wait() {
    const hook::Waiting waiting(region_);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return unfinished_ == 0; });
  }

 private:
  static const hook::Runtime& runtime() {
    static const hook::Runtime one("pool");
    return one;
  }

  void release(Job& job) {
    if (--job.missing > 0) return;
    ready_.push_back(&job);
    more_.notify_one();
  }

  void work(unsigned index) {
    const hook::Worker worker(region_, index);
    std::unique_lock lock(mutex_);
    for (;;) {
      more_.wait(lock, [this] { return stop_ || !ready_.empty(); });
      if (ready_.empty()) return;
      Job& job = *ready_.front();
      ready_.pop_front();
      lock.unlock();
      {
        const hook::Running running(job.task);
        job.body();
      }
      lock.lock();
      job.ended = true;
      for (Job* next : job.next) release(*next);
      if (--unfinished_ == 0) done_.notify_all();
    }
  }

  hook::Region region_;
  std::mutex mutex_;
  std::condition_variable more_, done_;
  std::deque<Job> jobs_;
  std::deque<Job*> ready_;
  std::size_t unfinished_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace examples
