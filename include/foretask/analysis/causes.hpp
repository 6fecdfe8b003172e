// SPDX-License-Identifier: Apache-2.0
// Why p cores were not p times as fast as one: the time of all of them, by what it was lost to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretask::analysis {

enum class Cause : std::uint8_t {
  kSerial,        // one thread runs what is outside of parallel regions, the others wait for it
  kCriticalPath,  // too few tasks could run: the others wait for those that run
  kImbalance,     // threads wait at the end of a loop or a region for those that are not there yet
  kTaskCosts,     // the runtime creates, schedules and joins tasks
  kRegionCosts,   // it forks teams, passes barriers, hands out chunks
  kLocks,         // a lock or a critical section is held by another thread
  kSlowerWork,    // the same code takes longer than in the base; below 0: shorter
  kQuota,         // a limit of the control group (cpu.max, cfs_quota) held threads up
  kBound,         // threads are bound to fewer processors than there are threads
  kNoCore,        // other programs had the cores, or there are more threads than cores
  kBlocked,       // in the system: sleep, files, network, MPI
  kOther
};
inline constexpr std::array<std::string_view, 12> kCauseNames{
    "serial",      "critical_path", "imbalance", "task_costs", "region_costs", "locks",
    "slower_work", "quota",         "bound",     "no_core",    "blocked",      "other"};
inline constexpr std::size_t kCauses = kCauseNames.size();
[[nodiscard]] constexpr std::string_view cause_name(Cause cause) noexcept {
  return kCauseNames[static_cast<std::size_t>(cause)];
}

struct TimeOnCores {
  std::uint32_t cores = 0;
  std::int64_t time_ns = 0;
};

struct LostTime {
  Cause cause = Cause::kOther;
  std::int64_t lost_ns = 0;    // of all cores
  std::string kernel;          // most to blame, as KernelSummary::name; empty: none is
  std::int64_t kernel_ns = 0;  // of it, for that kernel; 0: not known
  std::uint64_t regions = 0;   // how often a team was started for it; 0: for none
  // The run's time without it, by number of cores: its own first, from `lost_ns`, then those that were replayed. Empty
  // until Run::try_without_causes() has been called.
  std::vector<TimeOnCores> without;
};

// The run that says how long the work takes where nothing disturbs it: the same program on fewer threads.
struct BaseRun {
  std::string folder;
  std::uint32_t workers = 0;
  std::int64_t wall_ns = 0;
  std::int64_t useful_ns = 0;
};

// workers * wall_ns = useful_ns + the sum of `lost`, exactly. docs/causes.md says what each is made of.
struct CoreTime {
  std::int64_t wall_ns = 0;    // elapsed, and what threads waited for a core: without what recording took
  std::int64_t useful_ns = 0;  // the program's own code, on a core, as fast as in the base
  std::vector<LostTime> lost;  // largest first, without those of 0 ns
  std::optional<BaseRun> base;
  std::vector<TimeOnCores> replays;  // of the run as it is, on other numbers of cores
};

}  // namespace foretask::analysis
