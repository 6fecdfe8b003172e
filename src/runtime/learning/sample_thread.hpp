// SPDX-License-Identifier: Apache-2.0
// HOT: what the sampling side keeps of each thread: its queue to the learner, its class of workers, the scopes it is
// in.
#pragma once

#include <atomic>
#include <cstdint>

#include "foretask/foretask.h"
#include "predict/online/sample_queue.hpp"

namespace foretask::runtime {

struct SampleThread {
  predict::SampleQueue* queue = nullptr;
  std::uint64_t scopes_ticks = 0;  // of all scopes that have ended, each without those in it
  std::uint32_t depth = 0;         // scopes that it is in
  std::uint32_t number = 0;        // from its first scope on, and never another thread's
  std::uint32_t worker_class = 0;
  bool scope_is_task = false;                // the outermost one, in the recording
  std::uint32_t scope_known = 0;             // its parameters that were known when it began
  std::atomic<bool> is_handing_over{false};  // to a signal handler's eyes
};

// Initial-exec: one load instead of a call; takes 32 bytes of the space that glibc keeps for libraries loaded late.
extern constinit thread_local SampleThread sample_thread __attribute__((tls_model("initial-exec")));

// While a sample is handed over. Not entered: this is a signal handler that has interrupted just that.
class HandOver {
 public:
  HandOver() noexcept : has_entered_(!sample_thread.is_handing_over.load(std::memory_order_relaxed)) {
    sample_thread.is_handing_over.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  HandOver(const HandOver&) = delete;
  HandOver& operator=(const HandOver&) = delete;
  ~HandOver() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (has_entered_) sample_thread.is_handing_over.store(false, std::memory_order_relaxed);
  }

  [[nodiscard]] bool has_entered() const noexcept { return has_entered_; }

 private:
  bool has_entered_;
};

// A queue for this thread, closed when the thread ends; null where none can be had. Starts the learner anew in a forked
// child.
[[nodiscard]] predict::SampleQueue* open_queue_slow() noexcept;

void number_thread_slow() noexcept;

// This thread in a forked child: the queue is the parent's.
void forget_sample_thread() noexcept;

// The library is being unloaded: threads' ends no longer call into it.
void close_sample_threads() noexcept;

}  // namespace foretask::runtime
