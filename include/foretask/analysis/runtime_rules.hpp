// SPDX-License-Identifier: Apache-2.0
// The rules by which a task runtime runs tasks. A replay follows those of the runtime that the program was recorded on.
// docs/simulator.md ("Work stealing") explains each.
#pragma once

#include <cstdint>
#include <string_view>

namespace foretask::analysis {

struct RuntimeRules {
  // The place in which tasks wait for a thread.
  enum class Queue : std::uint8_t {
    kNone,    // for none: they run where they are, or another scheduler places them
    kDeques,  // each thread has a deque, and idle ones steal
    kTeam     // a queue for the whole team, the oldest first
  };
  // The tasks that a thread may start while its explicit task waits.
  enum class Waiting : std::uint8_t {
    kDescendants,  // of that task
    kAwaited,      // what the task waits for, the newest first
    kAnything
  };

  // The first part of the file name of the runtime's shared library. Empty: LLVM's, which has several names, or no
  // OpenMP, for which no costs are measured.
  std::string_view library;
  Queue queue = Queue::kDeques;
  Waiting waiting = Waiting::kDescendants;
  bool is_openmp = true;
  // A team of one runs each task within its creation.
  bool alone_is_at_once = true;
  // Tasks in a deque, beyond which the creator runs the next one itself; 0: no limit.
  std::uint32_t deque_capacity = 0;
  // A thread's share of the tasks that run or could run, beyond which a creator runs the next one itself; 0: no limit.
  std::uint32_t tasks_per_thread = 0;
  // Untied tasks stay with the thread that began them, as tied ones do.
  bool ties_all_tasks = false;
  // If one task's end makes several tasks ready, the one created first is queued first.
  bool releases_oldest_first = false;
  // TeamWork::guided_halves of its recordings.
  bool guided_halves = true;
  // One of the recorded threads submits tasks, and runs none.
  bool has_submitter = false;
};

// The rules for a recording, by the runtime's name and version in its run.json. An unknown name counts as OpenMP on
// LLVM's runtime.
[[nodiscard]] RuntimeRules runtime_rules(std::string_view runtime, std::string_view version);

}  // namespace foretask::analysis
