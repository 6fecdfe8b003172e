// SPDX-License-Identifier: Apache-2.0
// How far a name is from one that a user may have meant.
#pragma once

#include <cstddef>
#include <string_view>

namespace foretask::base {

// Letters to insert, remove or replace to make one of the other (Levenshtein 1966). O(left x right). Thread safe.
[[nodiscard]] std::size_t name_distance(std::string_view left, std::string_view right);

}  // namespace foretask::base
