// SPDX-License-Identifier: Apache-2.0
// Taskgroups that end when one of their tasks cancels them: or-parallel sections, as they were recorded.
#pragma once

#include <cstdint>
#include <vector>

namespace foretask::graph {

enum class MemberEnd : std::uint8_t {
  kWon,        // cancelled the group
  kAlsoFound,  // would have: another one was first
  kEnded,      // came to its end without
  kCutShort,   // the group was cancelled, or the recording ended, while it ran
  kNeverRan
};

struct SpeculativeMember {
  std::uint32_t task = 0;
  std::uint32_t kernel = 0;
  MemberEnd end = MemberEnd::kEnded;
  std::int64_t work_ns = 0;   // of its strands
  std::int64_t inner_ns = 0;  // of the tasks in taskgroups within it
};

// Times on the recorded clock; -1: it did not happen.
struct SpeculativeGroup {
  std::uint32_t kernel = 0;  // of those that search: some group was cancelled by one of it
  std::int64_t begin_ns = 0;
  std::int64_t cancel_ns = -1;
  std::int64_t left_ns = -1;               // its owner goes on
  std::vector<SpeculativeMember> members;  // in order of creation

  [[nodiscard]] bool is_cancelled() const noexcept { return cancel_ns >= 0; }
};

}  // namespace foretask::graph
