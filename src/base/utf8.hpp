// SPDX-License-Identifier: Apache-2.0
// UTF-8 as the Unicode standard's table 3-7 has it: no overlong forms, no surrogates, nothing past U+10FFFF.
#pragma once

#include <cstddef>
#include <string>

namespace foretask::base {

// Bytes of the well-formed character that begins at `at`; 0 where none does. at < end.
[[nodiscard]] std::size_t utf8_length(const char* at, const char* end) noexcept;

// Appends the character `code`, which is a Unicode scalar value.
void append_utf8(std::string& text, unsigned code);

}  // namespace foretask::base
