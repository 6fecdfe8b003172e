// SPDX-License-Identifier: Apache-2.0
// What the counters of a recording say of a kernel's tasks, and how its times change with the number of workers at
// work. Plain data. docs/counters.md has the definitions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace foretask::analysis {

// A counter that was asked for, and what came of it.
struct RecordedCounter {
  std::string name;
  std::string status;     // "ok", "unavailable", "denied", "multiplexed", "unsupported"
  std::string reason;     // in words, where it is not ok
  std::uint32_t run = 0;  // 0: this recording; else the number of the one beside it, from 1
};

// A counter's use by a kernel's tasks.
struct CounterSummary {
  std::string name;
  std::uint32_t run = 0;
  std::uint64_t tasks = 0;  // that were counted
  double mean = 0;          // a task
  double cv = 0;            // standard deviation / mean
};

struct Quartiles {
  std::uint32_t workers = 0;  // active ones; 0: any number
  std::uint64_t tasks = 0;
  double low = 0;
  double median = 0;
  double high = 0;
};

// A ratio of two counters: "instructions per cycle", "PAPI_L3_TCM per 1000 instructions".
struct CounterRatio {
  std::string name;
  double value = 0;  // of the tasks' sums
  // Of the tasks' own ratios: all of them first, then by the number of active workers. Empty where the two counters
  // come from different runs of the program.
  std::vector<Quartiles> spread;
};

// A kernel's tasks that ran while so many workers ran tasks, on average over the task and rounded.
struct ActiveWorkers {
  std::uint32_t workers = 0;
  std::uint64_t tasks = 0;  // of those looked at
  double mean_ns = 0;
  double inflation = 1;        // mean_ns / that of the row with the fewest workers
  double inflation_error = 0;  // its standard error
};

}  // namespace foretask::analysis
