// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace foretask::base {

// What this process can still have, in bytes: the least of what the system has free, what its control groups (version
// 2) leave it, and its own limits (ulimit -v, ulimit -d). The largest number where nothing can be read. A fresh reading
// a call, some 100 us.
[[nodiscard]] std::uint64_t available_memory_bytes();

// "1.9 GB".
[[nodiscard]] std::string gigabytes(double bytes);

}  // namespace foretask::base
