// SPDX-License-Identifier: Apache-2.0
// What a task runtime takes for its own work: apart from the program's, and by the size of the team. docs/costs.md says
// how it is measured.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/analysis/runtime_rules.hpp"

namespace foretask::analysis {

// Of a team of one size: means, in ns. In a team of one the runtime runs each task within its creation.
struct TeamCosts {
  std::uint32_t threads = 1;
  // Of a strand that does it, and of the one behind.
  std::int64_t create_ns = 0;  // creates a task; in a team of one also what follows the task's end
  std::int64_t wait_ns = 0;    // comes to a taskwait or to the end of a taskgroup, and leaves it
  std::int64_t body_ns = 0;    // begins a task's code, and ends it
  std::int64_t depend_ns = 0;  // a dependence of a task that is created
  // Of a worker, before a strand begins.
  std::int64_t release_ns = 0;    // a dependence of a task that has ended
  std::int64_t at_once_ns = 0;    // a task within its creation: of a team of one, or where the deque is full
  std::int64_t dispatch_ns = 0;   // a task of its own deque, from a wait
  std::int64_t next_ns = 0;       // a task of its own deque, from the end of another
  std::int64_t contended_ns = 0;  // a task of its own deque, of which another has been stolen since its latest
  std::int64_t steal_ns = 0;      // a task of another's deque
  std::int64_t resume_ns = 0;     // a task goes on that waited, from the end of the last that it waited for
  std::int64_t pass_ns = 0;       // the same where nothing was left to wait for
  std::int64_t fork_ns = 0;       // a thread's part of a parallel region
  std::int64_t barrier_ns = 0;    // what is behind a barrier, or a region's end, from the last thread's arrival
  std::int64_t chunk_ns = 0;      // a chunk of a loop is handed to a thread while all the others ask for some
  std::int64_t lock_ns = 0;       // a lock is handed to a thread while all the others wait for it
};

struct TeamCostField {
  std::string_view name;
  std::int64_t TeamCosts::*ns;
};
inline constexpr std::array<TeamCostField, 16> kTeamCostFields{{{"create_ns", &TeamCosts::create_ns},
                                                                {"wait_ns", &TeamCosts::wait_ns},
                                                                {"body_ns", &TeamCosts::body_ns},
                                                                {"depend_ns", &TeamCosts::depend_ns},
                                                                {"release_ns", &TeamCosts::release_ns},
                                                                {"at_once_ns", &TeamCosts::at_once_ns},
                                                                {"dispatch_ns", &TeamCosts::dispatch_ns},
                                                                {"next_ns", &TeamCosts::next_ns},
                                                                {"contended_ns", &TeamCosts::contended_ns},
                                                                {"steal_ns", &TeamCosts::steal_ns},
                                                                {"resume_ns", &TeamCosts::resume_ns},
                                                                {"pass_ns", &TeamCosts::pass_ns},
                                                                {"fork_ns", &TeamCosts::fork_ns},
                                                                {"barrier_ns", &TeamCosts::barrier_ns},
                                                                {"chunk_ns", &TeamCosts::chunk_ns},
                                                                {"lock_ns", &TeamCosts::lock_ns}}};

// `teams` by ascending threads. Between two of at least two threads each cost is interpolated over the logarithm of
// the threads; outside of them the nearest holds. A team of one is another thing: without an entry of its own all its
// costs are 0, and its entry says nothing of other teams. O(entries).
[[nodiscard]] TeamCosts team_costs(const std::vector<TeamCosts>& teams, std::uint32_t threads);

// What the runtime takes for a task that one thread makes, runs and waits for, with `waits` waits a task (0.5 in a tree
// of two each): within the program's strands, and between them. `has_parts`: an untied one of LLVM's, which gives
// itself back to the runtime before it begins.
struct TaskCosts {
  double within_ns = 0;
  double between_ns = 0;

  [[nodiscard]] double ns() const noexcept { return within_ns + between_ns; }
};
[[nodiscard]] TaskCosts task_costs(const TeamCosts& costs, double waits, bool has_parts = false) noexcept;

// What a runtime's own work takes on a machine, by a calibration: stored once, and copied into each recording.
struct RuntimeCosts {
  std::string library;      // build id of the runtime's shared library, in hex
  std::string fingerprint;  // of the machine
  std::string measured;     // UTC, ISO 8601
  double spread = 0;        // how far its repetitions lay apart: largest / smallest - 1
  // What a task takes longer in a recorded program, its probes aside: the runtime calls a listener.
  std::int64_t listen_ns = 0;
  std::uint32_t tried_threads = 0;  // the largest team that was asked for; the runtime may give fewer
  std::vector<TeamCosts> teams;     // by ascending threads; empty: nothing is known

  [[nodiscard]] bool is_known() const noexcept { return !teams.empty(); }
};

// All that a replay under work stealing is told of the runtime. A recording says some of it, a calibration the rest; of
// a task-graph file all is 0.
struct SchedulingCosts {
  std::vector<TeamCosts> teams;          // by ascending threads
  bool is_calibrated = false;            // else only what the recording shows is known of its own team
  std::uint32_t calibrated_threads = 0;  // the largest team of the calibration; 0: there is none
  double spread = 0;                     // of the calibration: RuntimeCosts::spread
  RuntimeRules rules;                    // by which the runtime runs tasks
  // Starting the first team of so many threads as were recorded, and each thread more or less. Charged at
  // TaskGraph::team_start; a team of one starts none.
  std::int64_t team_start_ns = 0;
  std::int64_t thread_ns = 0;
  std::uint32_t recorded_workers = 1;
  TeamCosts recorded_team;  // of so many threads, by the calibration alone: what tasks within subtrees cost
};

}  // namespace foretask::analysis
