// SPDX-License-Identifier: Apache-2.0
// The functions of expressions of distributions, by name. Immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "foretask/analysis/distribution.hpp"
#include "foretask/result.hpp"

namespace foretask::distribution {

// What a function's arguments mean.
enum class Operation : std::uint8_t { kFamily, kSeq, kBranch, kLoop, kAnd, kOr, kNth };

inline constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

struct FunctionInfo {
  std::string_view name;
  std::string_view form;  // for a user who gave it something else
  std::size_t fewest;     // arguments
  std::size_t most;
  Operation operation = Operation::kFamily;
  // Of a family: from as many numbers as it takes.
  Result<analysis::Distribution> (*make)(const double* numbers) = nullptr;
};

[[nodiscard]] const FunctionInfo* find_function(std::string_view name);

// The known name that is nearest to `name`, `file` and `kernel` among them.
[[nodiscard]] std::string_view nearest_name(std::string_view name);

[[nodiscard]] std::string in_lower_case(std::string_view text);

}  // namespace foretask::distribution
