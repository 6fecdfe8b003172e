// SPDX-License-Identifier: Apache-2.0
// Holds the program's signals back from the calling thread while something is locked or half done: a handler of the
// program's may do anything, fork among it. Any thread; two system calls.
#pragma once

#include <signal.h>

namespace foretask::base {

// What was let through before, for release_signals().
[[nodiscard]] sigset_t hold_signals() noexcept;
void release_signals(const sigset_t& before) noexcept;

class HeldSignals {
 public:
  HeldSignals() noexcept : before_(hold_signals()) {}
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { release_signals(before_); }

 private:
  sigset_t before_;
};

}  // namespace foretask::base
