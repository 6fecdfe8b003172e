// SPDX-License-Identifier: Apache-2.0
#include "api/sample_thread.hpp"

#include <pthread.h>

#include <atomic>

#include "api/learning.hpp"

namespace foretask::api {

constinit thread_local SampleThread sample_thread __attribute__((tls_model("initial-exec")));

namespace {

pthread_key_t key;
std::atomic<bool> key_is_there{false};

void close_queue(void* queue) {
  sample_thread.queue = nullptr;
  static_cast<predict::SampleQueue*>(queue)->close();
}

__attribute__((constructor)) void make_key() { key_is_there.store(pthread_key_create(&key, close_queue) == 0); }

}  // namespace

predict::SampleQueue* open_queue_slow() noexcept {
  if (!key_is_there.load()) return nullptr;
  predict::Learner& learner = Learning::instance().learner();
  if (!learner.start()) return nullptr;
  predict::SampleQueue* const queue = learner.open_queue();
  if (!queue) return nullptr;
  if (pthread_setspecific(key, queue) != 0) {
    queue->close();
    return nullptr;
  }
  sample_thread.queue = queue;
  return queue;
}

void forget_sample_thread() noexcept {
  sample_thread.queue = nullptr;
  if (key_is_there.load()) pthread_setspecific(key, nullptr);
}

void close_sample_threads() noexcept {
  if (key_is_there.exchange(false)) pthread_key_delete(key);
}

}  // namespace foretask::api
