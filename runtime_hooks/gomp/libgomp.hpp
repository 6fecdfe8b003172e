// SPDX-License-Identifier: Apache-2.0
// The system's own libgomp, behind this library, and what its compiled callers agree with it on.
#pragma once

#include "foretask/foretask.h"
#include "kit/code.hpp"
#include "kit/next_function.hpp"

namespace foretask::gomp {

using kit::code_of;
using kit::find_function;

using Body = void (*)(void*);
using Copy = void (*)(void* to, void* from);

// Bits of the flags of GOMP_task and GOMP_taskloop.
enum TaskFlag : unsigned {
  kUntied = 1U << 0,
  kFinal = 1U << 1,
  kMergeable = 1U << 2,
  kDepend = 1U << 3,
  kPriority = 1U << 4,
  kUp = 1U << 8,
  kGrainsize = 1U << 9,
  kIf = 1U << 10,
  kNoGroup = 1U << 11,
  kReduction = 1U << 12,
  kDetach = 1U << 13,
  kStrict = 1U << 14
};

// A bit of what GOMP_cancel and GOMP_cancellation_point are asked for.
inline constexpr int kCancelTaskgroup = 8;

// "GNU libgomp (GCC 12)": the oldest GCC that has what this libgomp has.
[[nodiscard]] const char* libgomp_version();

// Another runtime answers libgomp's calls here, or besides: LLVM's. That has a hook of its own.
[[nodiscard]] bool is_llvm_here();

// The calling thread's team.
[[nodiscard]] unsigned team_size();
[[nodiscard]] unsigned index_in_team();
// True if a region may get fewer threads than it asks for (OMP_DYNAMIC).
[[nodiscard]] bool chooses_team_size();
// True if OMP_CANCELLATION is on, which does not change. Valid after find_settings().
extern bool has_cancellation;
void find_settings();

}  // namespace foretask::gomp
