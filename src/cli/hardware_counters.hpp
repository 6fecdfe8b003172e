// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace foretask::cli {

// Whether this process may count, asked of the kernel: a counter's name, and why not (empty: it counts).
[[nodiscard]] std::vector<std::pair<std::string, std::string>> probe_hardware_counters();

}  // namespace foretask::cli
