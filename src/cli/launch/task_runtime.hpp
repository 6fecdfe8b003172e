// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace foretask::cli {

inline constexpr const char* kLlvmOpenmp = "libomp";
inline constexpr const char* kGccOpenmp = "libgomp";
inline constexpr const char* kOnetbb = "libtbb";

// A runtime whose own work can be calibrated, as options name it, and its file.
struct TaskRuntime {
  std::string name;
  std::string file;  // empty: it is not there
};

}  // namespace foretask::cli
