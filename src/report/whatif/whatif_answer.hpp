// SPDX-License-Identifier: Apache-2.0
// The sentences that lead `foretask whatif`: which kernel to make faster, and where.
#pragma once

#include <string>

#include "report/whatif/whatif.hpp"

namespace foretask::report {

// A sentence a line. "On 64 cores make fact faster: ..." for the largest numbers of cores first, then what would help
// more, cores or code, and what removing a kernel would give.
[[nodiscard]] std::string whatif_answer(const WhatIf& whatif);

// "2 times as fast", "30 % as fast" below 1.
[[nodiscard]] std::string factor_words(double factor);

// "1 core", "2 and 4 cores", "2 to 64 cores".
[[nodiscard]] std::string core_words(const std::vector<std::uint32_t>& cores);

}  // namespace foretask::report
