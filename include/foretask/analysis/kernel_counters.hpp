// SPDX-License-Identifier: Apache-2.0
// What a recording's counters say of a kernel's tasks, and how task times change with the number of active workers.
// Plain data. Definitions: docs/counters.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace foretask::analysis {

// A counter that was asked for, and whether it was read.
struct RecordedCounter {
  std::string name;
  std::string status;     // "ok", "unavailable", "denied", "multiplexed", "unsupported"
  std::string reason;     // in words, where it is not ok
  std::uint32_t run = 0;  // 0: this recording; else the number of another one beside it, from 1
};

// What a kernel's tasks used of a counter.
struct CounterSummary {
  std::string name;
  std::uint32_t run = 0;
  std::uint64_t tasks = 0;  // counted tasks
  double mean = 0;          // per task
  double cv = 0;            // standard deviation / mean
};

struct Quartiles {
  std::uint32_t workers = 0;  // active workers; 0: any number
  std::uint64_t tasks = 0;
  double low = 0;
  double median = 0;
  double high = 0;
};

// A ratio of two counters: "instructions per cycle", "PAPI_L3_TCM per 1000 instructions".
struct CounterRatio {
  std::string name;
  double value = 0;  // sum over the tasks / sum over the tasks
  // Of the tasks' own ratios: first of all tasks, then by active workers. Empty where the counters are from different
  // runs.
  std::vector<Quartiles> spread;
};

// A kernel's tasks by the number of workers that ran tasks meanwhile: the mean over the task, rounded.
struct ActiveWorkers {
  std::uint32_t workers = 0;
  std::uint64_t tasks = 0;  // of the tasks examined
  double mean_ns = 0;
  double inflation = 1;        // mean_ns / mean_ns of the row with the fewest workers
  double inflation_error = 0;  // standard error
};

}  // namespace foretask::analysis
