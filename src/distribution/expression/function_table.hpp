// SPDX-License-Identifier: Apache-2.0
// The functions of expressions of distributions, by name. Immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace foretask::distribution {

enum class Function : std::uint8_t {
  kConst,
  kExp,
  kNormal,
  kUniform,
  kLognormal,
  kGamma,
  kWeibull,
  kBeta,
  kMoments,
  kGld,
  kFkml,
  kSeq,
  kBranch,
  kLoop,
  kAnd,
  kOr,
  kNth
};

inline constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

struct FunctionInfo {
  Function function;
  std::string_view name;
  std::string_view form;  // for a user who gave it something else
  std::size_t fewest;     // arguments
  std::size_t most;
  bool takes_numbers;  // all of its arguments are numbers
};

[[nodiscard]] const FunctionInfo& info_of(Function function);

// In whatever case; null where there is none.
[[nodiscard]] const FunctionInfo* find_function(std::string_view name);

// The known name that is nearest to `name`, `file` and `kernel` among them.
[[nodiscard]] std::string_view nearest_name(std::string_view name);

[[nodiscard]] std::string in_lower_case(std::string_view text);

}  // namespace foretask::distribution
