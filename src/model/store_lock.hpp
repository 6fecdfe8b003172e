// SPDX-License-Identifier: Apache-2.0
// The lock of a folder of the store, which all processes share. Cold.
#pragma once

#include <string>

#include "base/file.hpp"
#include "foretask/result.hpp"

namespace foretask::model {

// Held while the descriptor is open. Makes the folder; waits up to ten seconds for another process.
[[nodiscard]] Result<base::FileDescriptor> lock_folder(const std::string& folder);

// Now, as the store's files say it: 2026-01-31T12:00:00Z.
[[nodiscard]] std::string store_time();

}  // namespace foretask::model
