// SPDX-License-Identifier: Apache-2.0
#include "predict/online/sample_queue.hpp"

#include <sys/mman.h>

#include <new>

namespace foretask::predict {
namespace {

void free_queue(SampleQueue* queue) noexcept {
  queue->~SampleQueue();
  ::munmap(queue, sizeof(SampleQueue));
}

}  // namespace

SampleQueues::~SampleQueues() {
  while (SampleQueue* const queue = first_.load(std::memory_order_relaxed)) {
    first_.store(queue->next, std::memory_order_relaxed);
    free_queue(queue);
  }
}

SampleQueue* SampleQueues::open() noexcept {
  void* const memory = ::mmap(nullptr, sizeof(SampleQueue), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const queue = new (memory) SampleQueue;
  queue->next = first_.load(std::memory_order_relaxed);
  while (!first_.compare_exchange_weak(queue->next, queue, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return queue;
}

std::uint64_t SampleQueues::remove_finished() noexcept {
  std::uint64_t dropped = 0;
  SampleQueue* before = nullptr;
  SampleQueue* next = nullptr;
  for (SampleQueue* queue = first_.load(std::memory_order_acquire); queue; queue = next) {
    next = queue->next;
    // Closed first, then found empty: nothing can come any more.
    if (queue->is_closed() && queue->available() == 0) {
      dropped += queue->dropped();
      unlink(before, queue);
      free_queue(queue);
    } else {
      before = queue;
    }
  }
  return dropped;
}

void SampleQueues::unlink(SampleQueue* before, SampleQueue* queue) noexcept {
  SampleQueue* newest = queue;
  if (!before && first_.compare_exchange_strong(newest, queue->next, std::memory_order_acquire)) return;
  // Others may have come before it meanwhile.
  if (!before)
    for (before = newest; before->next != queue; before = before->next) {
    }
  before->next = queue->next;
}

}  // namespace foretask::predict
