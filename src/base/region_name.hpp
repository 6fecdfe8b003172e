// SPDX-License-Identifier: Apache-2.0
// What tells a parallel region's own code, outside of tasks, from the tasks of a kernel: in reports, tables and the
// store.
#pragma once

#include <string>
#include <string_view>

namespace foretask::base {

inline constexpr std::string_view kRegionSuffix = " [parallel]";

// `place`: of the region's code.
[[nodiscard]] inline std::string region_name(std::string_view place) {
  return std::string(place).append(kRegionSuffix);
}

[[nodiscard]] inline bool is_region_name(std::string_view name) { return name.ends_with(kRegionSuffix); }

}  // namespace foretask::base
