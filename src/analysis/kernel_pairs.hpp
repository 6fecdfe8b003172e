// SPDX-License-Identifier: Apache-2.0
// Which kernel of one recording is which of another one.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace foretask::wiring {

// Each name of both once, in a pair: (before, after), one of them empty where the kernel has no partner. Those of one
// function, file and kind go together. If both sides have the same names among them, by these; else by the order of the
// lines if there are as many; else by the names that are equal.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> pair_kernels(const std::vector<std::string>& before,
                                                                            const std::vector<std::string>& after);

}  // namespace foretask::wiring
