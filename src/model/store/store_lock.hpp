// SPDX-License-Identifier: Apache-2.0
// What the stores share: the lock of a folder, which all processes have in common, and files that are refused. Cold.
#pragma once

#include <string>

#include "base/file.hpp"
#include "foretask/result.hpp"

namespace foretask::model {

// Held while the descriptor is open. Makes the folder. Waits up to ten seconds while other processes take turns, and
// one second for one that keeps it: it may be stopped.
[[nodiscard]] Result<base::FileDescriptor> lock_folder(const std::string& folder);

// Now, as the store's files say it: 2026-01-31T12:00:00Z.
[[nodiscard]] std::string store_time();

// Gives a file that cannot be used another name; what to tell the user, in one line.
[[nodiscard]] std::string set_aside(const std::string& path, const std::string& why);

}  // namespace foretask::model
