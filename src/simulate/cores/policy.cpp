// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "foretask/analysis/simulate.hpp"

namespace foretask::analysis {
namespace {

// In the order of Policy.
constexpr std::array<std::string_view, 7> kNames{"fifo",     "ready-fifo",    "lifo", "critical-path",
                                                 "priority", "work-stealing", "heft"};

}  // namespace

std::string_view policy_name(Policy policy) {
  const auto index = static_cast<std::size_t>(policy);
  return index < kNames.size() ? kNames[index] : "unknown";
}

std::optional<Policy> policy_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) return static_cast<Policy>(i);
  }
  return std::nullopt;
}

}  // namespace foretask::analysis
