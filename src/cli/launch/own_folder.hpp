// SPDX-License-Identifier: Apache-2.0
// A folder whose content nobody but this user (and root) can make or change: what lies there may be loaded and run.
#pragma once

#include <optional>
#include <string>

#include "foretask/result.hpp"

namespace foretask::cli {

// The path without symbolic links, if it is one: it and every folder above it belong to this user or to root, and no
// other may write there. A folder above may be open to all where it is sticky, as /tmp is: nobody can put another in
// the place of what lies in it. Use what is returned: a link in `path` may point elsewhere by then.
[[nodiscard]] std::optional<std::string> own_folder(const std::string& path);

// `name` in the user's cache ($XDG_CACHE_HOME/foretask, else ~/.cache/foretask, else $XDG_RUNTIME_DIR/foretask), made
// where it is not there. It stays: processes that were started with it in their search path may outlive this one.
// Errors: none of these is the user's own, or can be made.
[[nodiscard]] Result<std::string> own_cache_folder(const std::string& name);

}  // namespace foretask::cli
