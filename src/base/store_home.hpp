// SPDX-License-Identifier: Apache-2.0
// Where this user keeps what outlives a process: models, histories of programs, costs of runtimes.
#pragma once

#include <string>

namespace foretask::base {

// $FORETASK_HOME, $XDG_DATA_HOME/foretask or ~/.local/share/foretask, absolute; empty where there is none of them, and
// in a set-uid process.
[[nodiscard]] std::string store_home();

// Whether the root folder is another one than when this library was loaded (chroot): the user's paths name others now.
[[nodiscard]] bool has_new_root() noexcept;

}  // namespace foretask::base
