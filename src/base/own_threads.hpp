// SPDX-License-Identifier: Apache-2.0
// Tells the program's threads from foretask's own. Any thread.
#pragma once

#include <atomic>

namespace foretask::base {

// An object lives as long as a thread of foretask's own in the process.
class OwnThread {
 public:
  OwnThread() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  ~OwnThread() { count_.fetch_sub(1, std::memory_order_relaxed); }
  OwnThread(const OwnThread&) = delete;
  OwnThread& operator=(const OwnThread&) = delete;

  [[nodiscard]] static int count() noexcept { return count_.load(std::memory_order_relaxed); }

 private:
  inline static constinit std::atomic<int> count_{0};
};

// Whether the program's first thread has ended by pthread_exit(), and the others are gone as well. The C library ends
// the process when its last thread ends, so foretask's own threads then return. One load as long as the first thread
// runs, then some 50 us. True where the threads cannot be counted.
[[nodiscard]] bool are_alone() noexcept;

}  // namespace foretask::base
