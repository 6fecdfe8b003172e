// SPDX-License-Identifier: Apache-2.0
#include "runtime/learning/sample_thread.hpp"

#include <atomic>

#include "base/thread_end.hpp"
#include "runtime/learning/learning.hpp"

namespace foretask::runtime {

constinit thread_local SampleThread sample_thread __attribute__((tls_model("initial-exec")));

namespace {

constinit base::ThreadEnd thread_end;

void close_queue(void* queue) {
  sample_thread.queue = nullptr;
  static_cast<predict::SampleQueue*>(queue)->close();
}

__attribute__((constructor)) void open_thread_end() { thread_end.open(close_queue); }

}  // namespace

predict::SampleQueue* open_queue_slow() noexcept {
  if (!thread_end.is_open()) return nullptr;
  predict::Learner& learner = Learning::instance().learner();
  if (!learner.start()) return nullptr;
  predict::SampleQueue* const queue = learner.open_queue();
  if (!queue) return nullptr;
  if (!thread_end.set(queue)) {
    queue->close();
    return nullptr;
  }
  sample_thread.queue = queue;
  return queue;
}

void number_thread_slow() noexcept {
  static constinit std::atomic<std::uint32_t> last{0};
  sample_thread.number = last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void forget_sample_thread() noexcept {
  sample_thread.queue = nullptr;
  static_cast<void>(thread_end.set(nullptr));
}

void close_sample_threads() noexcept { thread_end.close(); }

}  // namespace foretask::runtime
