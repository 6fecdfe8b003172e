// SPDX-License-Identifier: Apache-2.0
// What this process does: foretask_hook_start()'s answer, and whether it follows tasks. Set before StarPU has workers.
#pragma once

#include <atomic>

#include "foretask/hook.h"

namespace foretask::starpu {

inline constinit std::atomic<int> what{FORETASK_HOOK_OFF};

inline constinit std::atomic<bool> has_followers{false};

[[nodiscard]] inline bool records() noexcept {
  return (what.load(std::memory_order_relaxed) & FORETASK_HOOK_RECORDS) != 0;
}
[[nodiscard]] inline bool learns() noexcept {
  return (what.load(std::memory_order_relaxed) & FORETASK_HOOK_LEARNS) != 0;
}
// Tasks are learned or counted.
[[nodiscard]] inline bool follows() noexcept { return has_followers.load(std::memory_order_relaxed); }

}  // namespace foretask::starpu
