// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace foretask::base {

// Whether the root folder is another one than when this library was loaded (chroot): the user's paths name others now.
[[nodiscard]] bool has_new_root() noexcept;

}  // namespace foretask::base
