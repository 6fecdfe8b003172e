// SPDX-License-Identifier: Apache-2.0
// What `foretask whatif --schedules` found, as data for its writers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/loop_schedules.hpp"
#include "foretask/analysis/run.hpp"
#include "report/whatif/whatif.hpp"

namespace foretask::report {

struct ScheduledLoop {
  std::string name;
  std::string schedule;  // as it is
  std::int64_t work_ns = 0;
  double share = 0;  // of all work, in [0, 1]
};

// One loop under its best schedule.
struct ScheduleRow {
  std::size_t loop = 0;  // index into LoopSchedules::loops
  ReplayGain program;
  analysis::ScheduleTrial trial;

  [[nodiscard]] std::string best() const;
  // 1 % or more, of the program and of the loop itself: less is chance.
  [[nodiscard]] bool is_worth_it() const noexcept;
};

struct LoopSchedules : ReplayedInput {
  std::vector<ScheduledLoop> loops;     // most work first
  std::vector<ScheduleRow> rows;        // loop by loop, cores by cores
  std::vector<ReplayGain> together;     // all loops under their best schedules, cores by cores; of one loop empty
  std::vector<std::string> left_alone;  // loops of some work that replays do not deal out by a schedule
  std::vector<std::int64_t> chunk_ns;   // what handing out a chunk takes a thread, cores by cores; empty: not known
  std::vector<PooledRun> pooled;

  [[nodiscard]] const ScheduleRow& row(std::size_t loop, std::size_t place_of_cores) const {
    return rows[loop * cores.size() + place_of_cores];
  }
};

// The report's loops with at least such a share of the work that are not among those `tried`. No sections: they have no
// schedule.
[[nodiscard]] std::vector<std::string> loops_left_alone(const analysis::Report& report, double share,
                                                        const std::vector<ScheduledLoop>& tried);

// Leads with the answer: which schedule for which loop, on how many cores; then a table, and what it rests on.
[[nodiscard]] std::string loop_schedules_text(const LoopSchedules& found);

// One JSON object; the keys are in docs/command_line.md.
[[nodiscard]] std::string loop_schedules_json(const LoopSchedules& found);

// loop,schedule,cores,best,base_ns,makespan_ns,speedup,unseen
[[nodiscard]] std::string loop_schedules_csv(const LoopSchedules& found);

}  // namespace foretask::report
