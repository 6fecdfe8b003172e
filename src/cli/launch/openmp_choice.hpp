// SPDX-License-Identifier: Apache-2.0
// On which OpenMP runtime a program that GCC built is recorded.
#pragma once

#include <string>

#include "cli/launch/child_environment.hpp"

namespace foretask::cli {

enum class OpenmpChoice {
  kAuto,     // GCC's, unless its hook is missing or the program holds LLVM's as well
  kLibgomp,  // GCC's, the program's own
  kLibomp    // LLVM's in its place
};

// "auto", "libgomp" or "libomp"; empty: what FORETASK_RUNTIME says, which is warned of where it is none of these.
[[nodiscard]] OpenmpChoice openmp_choice(const std::string& option, const ChildEnvironment& environment);

}  // namespace foretask::cli
