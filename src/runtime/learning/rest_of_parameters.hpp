// SPDX-License-Identifier: Apache-2.0
// HOT: parameters that are known only at the end of what is timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace foretask::runtime {

// `rest`: of `count` parameters those that were not given yet, in their order. False where they are not as many.
[[nodiscard]] inline bool add_rest(std::uint64_t& given, double* parameters, std::size_t count,
                                   std::span<const double> rest) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if ((given & bit) != 0) continue;
    if (rest.empty()) return false;
    parameters[i] = rest.front();
    given |= bit;
    rest = rest.subspan(1);
  }
  return rest.empty();
}

// As C gives them.
[[nodiscard]] inline std::span<const double> rest_of(const double* parameters, std::size_t count) noexcept {
  return {parameters, parameters ? count : 0};
}

}  // namespace foretask::runtime
