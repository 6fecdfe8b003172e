// SPDX-License-Identifier: Apache-2.0
// The queues of all threads. open(): any thread, in a signal handler as well: it takes no lock, and its memory not from
// the allocator, in the midst of which the handler may have come. All else: the learner, or with the learner kept from
// remove_finished().
#pragma once

#include <atomic>
#include <cstdint>

#include "predict/online/sample_queue.hpp"

namespace foretask::predict {

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
