// SPDX-License-Identifier: Apache-2.0
// Which version of the code a kernel belongs to: what was learned of another one is no longer to be trusted. Cold;
// takes the dynamic linker's lock.
#pragma once

#include <string>

namespace foretask::runtime {

// The build id of the program or library that `code` lies in; where it has none, its size and time of change.
[[nodiscard]] std::string code_version_of(const void* code);

// Whether a program or library of this version is loaded.
[[nodiscard]] bool is_code_loaded(const std::string& version);

// Around fork(): a child must not find it locked.
void lock_code_versions();
void unlock_code_versions();

}  // namespace foretask::runtime
