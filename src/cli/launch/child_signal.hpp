// SPDX-License-Identifier: Apache-2.0
// While one lives, a child may be started and waited for whose end this process hears nothing of: the program that it
// becomes must not find the signal of a child that it never had.
#pragma once

#include <csignal>
#include <ctime>

namespace foretask::cli {

class ChildSignal {
 public:
  ChildSignal() noexcept {
    sigset_t pending;
    ::sigemptyset(&child_ends_);
    ::sigaddset(&child_ends_, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child_ends_, &before_);
    was_pending_ = ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGCHLD) == 1;
  }
  ChildSignal(const ChildSignal&) = delete;
  ChildSignal& operator=(const ChildSignal&) = delete;
  ~ChildSignal() {
    constexpr timespec kNow{};
    if (!was_pending_) ::sigtimedwait(&child_ends_, nullptr, &kNow);
    restore_mask();
  }

  // In the child, at once.
  void restore_mask() const noexcept { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t child_ends_;
  sigset_t before_;
  bool was_pending_;
};

}  // namespace foretask::cli
