// SPDX-License-Identifier: Apache-2.0
// The system's own libgomp, behind this library, and what its compiled callers agree with it on.
#pragma once

#include <atomic>

#define FORETASK_ENTRY extern "C" __attribute__((visibility("default")))

namespace foretask::gomp {

using Body = void (*)(void*);

// The kernel of what runs the function: hooks pass the address behind one that names are looked up at.
inline const void* code_of(Body body) { return reinterpret_cast<const char*>(body) + 1; }
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

// Null: libgomp has none of that name, or is not in the process.
[[nodiscard]] void* find_function(const char* name);
// Ends the program where it is missing: nobody can have called it.
[[nodiscard]] void* real_function(const char* name);

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

// libgomp's own function of that name. One load and a branch.
#define FORETASK_REAL(function)                                                                \
  ([]() noexcept {                                                                             \
    static std::atomic<decltype(&function)> known{nullptr};                                    \
    auto found = known.load(std::memory_order_relaxed);                                        \
    if (__builtin_expect(found == nullptr, 0)) {                                               \
      found = reinterpret_cast<decltype(&function)>(foretask::gomp::real_function(#function)); \
      known.store(found, std::memory_order_relaxed);                                           \
    }                                                                                          \
    return found;                                                                              \
  }())
