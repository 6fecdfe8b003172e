// SPDX-License-Identifier: Apache-2.0
// What tells a team's own code, of which each thread has a share, from the tasks of a kernel: in reports, tables and
// the store.
#pragma once

#include <string>
#include <string_view>

namespace foretask::base {

inline constexpr std::string_view kRegionSuffix = " [parallel]";  // a region's code outside of tasks and loops
inline constexpr std::string_view kLoopSuffix = " loop";
inline constexpr std::string_view kSectionsSuffix = " sections";

// `place`: of the region's code.
[[nodiscard]] inline std::string region_name(std::string_view place) {
  return std::string(place).append(kRegionSuffix);
}

[[nodiscard]] inline bool is_region_name(std::string_view name) { return name.ends_with(kRegionSuffix); }

// A kernel that has no tasks: a region, or a loop in one.
[[nodiscard]] inline bool is_team_name(std::string_view name) {
  return is_region_name(name) || name.ends_with(kLoopSuffix) || name.ends_with(kSectionsSuffix);
}

}  // namespace foretask::base
