// SPDX-License-Identifier: Apache-2.0
// What this process does: foretask_hook_start()'s answer. Set before StarPU has workers.
#pragma once

#include <atomic>

#include "foretask/hook.h"

namespace foretask::starpu {

inline constinit std::atomic<int> mode{FORETASK_HOOK_OFF};

[[nodiscard]] inline bool records() noexcept { return mode.load(std::memory_order_relaxed) == FORETASK_HOOK_RECORDS; }
[[nodiscard]] inline bool learns() noexcept { return mode.load(std::memory_order_relaxed) == FORETASK_HOOK_LEARNS; }

}  // namespace foretask::starpu
