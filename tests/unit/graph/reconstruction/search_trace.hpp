// SPDX-License-Identifier: Apache-2.0
// A trace of a parallel search in which the first solution wins.
#pragma once

#include <cstdint>
#include <vector>

#include "unit/graph/reconstruction/trace_builder.hpp"

namespace foretask::test {

inline constexpr std::uint32_t kCancels = FORETASK_CANCEL_TASKGROUP | FORETASK_CANCEL_ACTIVATED;
inline constexpr std::uint32_t kFindsIt = FORETASK_CANCEL_TASKGROUP | FORETASK_CANCEL_DETECTED;

inline void cancel(TraceBuilder& trace, std::uint32_t worker, std::int64_t at_ns, std::uint32_t what) {
  trace.event(worker, at_ns, FORETASK_EVENT_CANCEL, {what});
}
// As libomp ends a task of a cancelled group.
inline void end_cancelled(TraceBuilder& trace, std::uint32_t worker, std::int64_t at_ns, Name task) {
  trace.event(worker, at_ns, FORETASK_EVENT_TASK_CANCEL, {task.number, task.stream});
}

// Four searches on two workers from 30 on: one ends at 80 without a solution, one finds it at 150, one is cut short at
// 160, one never runs. The group is left at 190. `says_who`: the recording has the cancellation's events.
inline TraceBuilder search(bool says_who) {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.group(0, 30);
  std::vector<Name> tasks;
  for (int i = 0; i < 4; ++i) tasks.push_back(trace.create(0, 35, 0, 0x2000));
  trace.barrier(1, 36);
  trace.group_wait(0, 40);
  trace.run(0, 50, tasks[0]);
  trace.run(1, 60, tasks[1]);
  trace.end(0, 80);
  trace.run(0, 90, tasks[2]);
  if (says_who) cancel(trace, 1, 150, kCancels);
  end_cancelled(trace, 1, 155, tasks[1]);
  if (says_who) cancel(trace, 0, 160, kFindsIt);
  end_cancelled(trace, 0, 165, tasks[2]);
  end_cancelled(trace, 0, 170, tasks[3]);
  trace.group_end(0, 190);
  trace.end_team(200);
  return trace;
}

}  // namespace foretask::test
