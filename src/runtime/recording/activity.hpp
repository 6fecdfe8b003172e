// SPDX-License-Identifier: Apache-2.0
// HOT: what the library does in this process, as one word that every entry point looks at first.
#pragma once

#include <atomic>
#include <cstdint>

namespace foretask::runtime {

enum Activity : std::uint32_t {
  kUndecided = 1,  // the environment was not read yet
  kLearning = 2,
  kRecording = 4,
  kProgress = 16,  // tasks are counted
  kAnswers =
      32,  // models of the store are loaded, so that predictions can be asked for; with kLearning they are anyway
  kScopesAreTasks = 64,  // of the recording: no runtime runs the program's tasks
  kToBeRecorded = 8      // from the program's first annotation on, where no runtime begins a recording before
};

// Both: a scope outside of other tasks is a task of the recording.
inline constexpr std::uint32_t kRecordsScopes = kRecording | kScopesAreTasks;
// Either: kernels have models.
inline constexpr std::uint32_t kKnowsModels = kLearning | kAnswers;
// Either: the lives of tasks are followed.
inline constexpr std::uint32_t kFollows = kLearning | kProgress;

// On a line of its own: others' writes beside it would slow every call down.
alignas(64) inline constinit std::atomic<std::uint32_t> activity{kUndecided};

// Reads the environment, once, and starts what it asks for; the activity then.
std::uint32_t decide_slow() noexcept;

// What is done now; 0: nothing. One load and one branch.
[[nodiscard]] inline std::uint32_t activity_now() noexcept {
  // Acquire: pairs with the start of what it says is done, whose figures (ns_per_tick) are read next.
  const std::uint32_t now = activity.load(std::memory_order_acquire);
  return (now & kUndecided) != 0 ? decide_slow() : now;
}

// Begins the recording that is asked for; the activity then.
std::uint32_t begin_recording_slow() noexcept;

// The same, for what a recording takes down.
[[nodiscard]] inline std::uint32_t annotation_activity() noexcept {
  const std::uint32_t now = activity.load(std::memory_order_acquire);
  return (now & (kUndecided | kToBeRecorded)) != 0 ? begin_recording_slow() : now;
}

}  // namespace foretask::runtime
