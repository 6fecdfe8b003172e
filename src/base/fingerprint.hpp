// SPDX-License-Identifier: Apache-2.0
// A short name for a text: it only has to tell texts apart, and to be the same in every version. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace foretask::base {

// FNV-1a.
[[nodiscard]] std::uint64_t fingerprint_number(std::string_view text) noexcept;

// The same as 16 hexadecimal digits.
[[nodiscard]] std::string fingerprint(std::string_view text);

}  // namespace foretask::base
