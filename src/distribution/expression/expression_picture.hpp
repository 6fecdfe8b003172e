// SPDX-License-Identifier: Apache-2.0
// Errors in an expression, with the place shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "foretask/result.hpp"

namespace foretask::distribution {

// From 1, in characters: a byte that goes on with a UTF-8 character does not count.
[[nodiscard]] std::size_t column_at(std::string_view text, std::size_t byte);

// "column N: WHAT", and below the part of `text` around `byte`, which may be its end, with a caret. O(text).
[[nodiscard]] Error error_at(std::string_view text, std::size_t byte, const std::string& what);

}  // namespace foretask::distribution
