// SPDX-License-Identifier: Apache-2.0
// A task that gives up its thread (tbb::task::suspend), until somebody resumes it: on another thread perhaps. In the
// recording it waits for an empty task, which the one that resumes it fulfils.
#pragma once

#include <cstdint>

#include "recorded_thread.hpp"

namespace foretask::tbb {

using SuspendPoint = ::tbb::detail::r1::suspend_point_type;
using SuspendCallback = void (*)(void*, SuspendPoint*);

// From the constructor to the destructor, on the stack of the task that is suspended.
class Suspension {
 public:
  // `callback` is told where the task can be resumed; it may be resumed before the callback returns.
  Suspension(RecordedThread* thread, SuspendCallback callback, void* user);
  ~Suspension();
  Suspension(const Suspension&) = delete;
  Suspension& operator=(const Suspension&) = delete;

  // The callback for libtbb, with a Suspension as its data.
  static void on_suspended(void* suspension, SuspendPoint* point);

 private:
  Frame* frame_ = nullptr;  // null: it is not recorded
  SuspendCallback callback_;
  void* user_;
  std::uint64_t event_ = 0;  // the empty task
  std::uint64_t wait_ = 0;
};

// The calling thread resumes the task that was suspended there.
void record_resume(RecordedThread& thread, const SuspendPoint* point);

}  // namespace foretask::tbb
