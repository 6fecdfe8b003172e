// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace foretask::cli {

// The names that options, recordings and the calibration programs have for the runtimes.
inline constexpr const char* kLlvmOpenmp = "libomp";
inline constexpr const char* kGccOpenmp = "libgomp";
inline constexpr const char* kOnetbb = "libtbb";

}  // namespace foretask::cli
