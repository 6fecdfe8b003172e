// SPDX-License-Identifier: Apache-2.0
// HOT: a thread's samples on their way to the learner. push(): the owning thread, wait-free; a full queue drops the
// sample and counts it. Not from a signal handler that interrupts a push.
#pragma once

#include <array>
#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/online/observation.hpp"

namespace foretask::predict {

class LearnedKernel;

struct Sample {
  LearnedKernel* kernel = nullptr;
  double time = 0;
  std::uint32_t worker_class = 0;
  std::uint32_t parameters = 0;
  std::array<double, model::kMaxParameters> values;  // the first `parameters` of them
};

class SampleQueue {
 public:
  static constexpr std::size_t kCapacity = 4096;

  bool push(const Sample& sample) noexcept {
    if (samples_.push(sample)) [[likely]]
      return true;
    // Only the owner writes it.
    dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return false;
  }

  // The learner's side.
  [[nodiscard]] std::size_t available() const { return samples_.read_available(); }
  // Up to so many; returns how many there were.
  std::size_t pop(std::span<Sample> out) { return samples_.pop(out.data(), out.size()); }
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

  // The owner is gone; what is queued is still learned.
  void close() noexcept { closed_.store(true, std::memory_order_release); }
  [[nodiscard]] bool is_closed() const noexcept { return closed_.load(std::memory_order_acquire); }

  // In SampleQueues.
  SampleQueue* next = nullptr;

 private:
  boost::lockfree::spsc_queue<Sample, boost::lockfree::capacity<kCapacity>> samples_;
  alignas(64) std::atomic<std::uint64_t> dropped_{0};
  std::atomic<bool> closed_{false};
};

// The queues of all threads. open(): any thread, in a signal handler as well: it takes no lock, and its memory not from
// the allocator, in the midst of which the handler may have come. All else: the learner, or with the learner kept from
// remove_finished().
class SampleQueues {
 public:
  constexpr SampleQueues() = default;
  SampleQueues(const SampleQueues&) = delete;
  SampleQueues& operator=(const SampleQueues&) = delete;
  ~SampleQueues();

  // Null without memory. Two system calls a thread: its 360 KB, which take room as they are used.
  [[nodiscard]] SampleQueue* open() noexcept;

  template <typename Function>
  void for_each(const Function& function) const {
    // Acquire: pairs with open(), so that a queue is seen whole.
    for (SampleQueue* queue = first_.load(std::memory_order_acquire); queue; queue = queue->next) function(*queue);
  }

  // Frees those that are closed and empty; returns what they have dropped.
  std::uint64_t remove_finished() noexcept;

  // In a forked child: the queues are the parent's. One that another thread was pushing into is not to be touched.
  void forget() noexcept { first_.store(nullptr, std::memory_order_relaxed); }

 private:
  void unlink(SampleQueue* before, SampleQueue* queue) noexcept;

  std::atomic<SampleQueue*> first_{nullptr};
};

}  // namespace foretask::predict
