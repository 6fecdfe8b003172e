// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "foretask/result.hpp"

namespace foretask::cli {

// The OpenMP hook beside this program: ../lib of a build or an installation. The error says where it is missing.
[[nodiscard]] Result<std::string> find_hook_library();

}  // namespace foretask::cli
