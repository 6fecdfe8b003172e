// SPDX-License-Identifier: Apache-2.0
// What tells a team's own code, of which each thread has a share, from the tasks of a kernel: in reports, tables and
// the store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace foretask::base {

inline constexpr std::string_view kRegionSuffix = " [parallel]";  // a region's code outside of tasks and loops
inline constexpr std::string_view kLoopSuffix = " loop";
inline constexpr std::string_view kSectionsSuffix = " sections";
// The tasks of a place with all that they make, by how many tasks they are within.
inline constexpr std::string_view kSubtreesSuffix = " subtrees";

// What a running process tells apart. The same address may be a region's and its loop's. A kernel of loop tasks is
// called as one of tasks.
enum class KernelKind : std::uint8_t { kTasks, kRegion, kLoop, kSections, kNamed, kLoopTasks, kSubtrees };
inline constexpr std::size_t kKernelKinds = 7;

// Of the kernel whose code is at `place`.
[[nodiscard]] inline std::string kernel_name(std::string_view place, KernelKind kind) {
  std::string name(place);
  if (kind == KernelKind::kRegion) return name.append(kRegionSuffix);
  if (kind == KernelKind::kLoop) return name.append(kLoopSuffix);
  if (kind == KernelKind::kSections) return name.append(kSectionsSuffix);
  if (kind == KernelKind::kSubtrees) return name.append(kSubtreesSuffix);
  return name;
}

[[nodiscard]] inline bool is_region_name(std::string_view name) { return name.ends_with(kRegionSuffix); }

// A kernel that has no tasks: a region, or a loop in one. By the name of its code, "module+0xoffset": a program may
// call a kernel of its own a loop.
[[nodiscard]] inline bool is_team_name(std::string_view code) {
  const bool is_place = code.find("+0x") != std::string_view::npos;
  return is_region_name(code) || (is_place && (code.ends_with(kLoopSuffix) || code.ends_with(kSectionsSuffix)));
}

}  // namespace foretask::base
