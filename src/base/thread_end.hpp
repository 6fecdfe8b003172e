// SPDX-License-Identifier: Apache-2.0
// A function for when a thread ends, called with what the thread has set. Unlike a thread_local's destructor it takes
// no memory to set where the key is one of the process's first 32: for others the C library allocates 512 bytes a
// thread. It can be taken back when the library is unloaded. Any thread.
#pragma once

#include <pthread.h>

#include <atomic>

namespace foretask::base {

class ThreadEnd {
 public:
  constexpr ThreadEnd() = default;
  ThreadEnd(const ThreadEnd&) = delete;
  ThreadEnd& operator=(const ThreadEnd&) = delete;

  // Once, when the library is loaded: no thread has to make the key then.
  void open(void (*function)(void*)) noexcept {
    // Release: pairs with set(), which then finds the key.
    is_open_.store(pthread_key_create(&key_, function) == 0, std::memory_order_release);
  }

  [[nodiscard]] bool is_open() const noexcept { return is_open_.load(std::memory_order_acquire); }

  // The calling thread's end is to be told `value`; null: not any more. False where that cannot be.
  [[nodiscard]] bool set(const void* value) noexcept { return is_open() && pthread_setspecific(key_, value) == 0; }

  // Threads that end from now on call nothing.
  void close() noexcept {
    if (is_open_.exchange(false)) pthread_key_delete(key_);
  }

 private:
  pthread_key_t key_ = 0;
  std::atomic<bool> is_open_{false};
};

}  // namespace foretask::base
