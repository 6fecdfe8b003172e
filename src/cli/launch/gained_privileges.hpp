// SPDX-License-Identifier: Apache-2.0
// Programs that have more rights than the user who starts them.
#pragma once

#include <string>

namespace foretask::cli {

// Whether the program is set-uid or set-gid for another than this user, or has capabilities that this user lacks. The
// dynamic loader preloads nothing into such a program.
[[nodiscard]] bool gains_privileges(const std::string& path);

}  // namespace foretask::cli
