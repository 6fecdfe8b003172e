// SPDX-License-Identifier: Apache-2.0
// When this process began, as the kernel has it.
#pragma once

#include <cstdint>

namespace foretask::base {

// On CLOCK_MONOTONIC in ns, some 10 ms early at most: the kernel counts in ticks. 0 where it cannot be told.
[[nodiscard]] std::int64_t process_start_ns();

}  // namespace foretask::base
