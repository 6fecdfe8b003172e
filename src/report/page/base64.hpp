// SPDX-License-Identifier: Apache-2.0
// Bytes as text within HTML (RFC 4648).
#pragma once

#include <string>
#include <string_view>

namespace foretask::report {

[[nodiscard]] std::string base64(std::string_view bytes);

// Of bytes that are written as pairs of hexadecimal digits.
[[nodiscard]] std::string base64_of_hex(std::string_view digits);

}  // namespace foretask::report
