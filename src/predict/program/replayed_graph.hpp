// SPDX-License-Identifier: Apache-2.0
// What replays of a recorded graph say of other numbers of workers, for graphs of the same program with another input.
#pragma once

#include <vector>

namespace foretask::predict {

// Of replays on p workers.
struct ReplayedPlace {
  double p = 1;
  // Where the makespan without costs lies between max(work / p, span), 0, and work / p + span (p - 1) / p, 1: the
  // bounds of a greedy schedule.
  double place = 0;
  double delay = 0;      // what scheduling costs add: worker time over the work
  double imbalance = 0;  // what static loops take beyond the upper bound: worker time over the work
};

// Worker time.
struct ReplayedIdle {
  double delay = 0;
  double no_work = 0;    // with ...
  double imbalance = 0;  // ... what no greedy schedule has
  double sd = 0;         // standard deviation of delay and no_work together
};

struct ReplayedGraph {
  double n = 0;
  double work = 0;
  double span = 0;
  double tasks = 0;                   // created; 0: none
  double workers = 1;                 // that it was recorded on
  double cost_spread = 0;             // how far the repetitions of the costs' calibration lie apart, as a share
  double thread_time = 0;             // elapsed time, for each worker more than those
  std::vector<ReplayedPlace> places;  // at least one, p rising

  // On p workers of a graph with another work and span: as this one has it where it has as much parallelism for each
  // worker. What static loops do depends on p itself.
  [[nodiscard]] ReplayedPlace at(double p, double other_work, double other_span) const;

  // The same as times. Costs are those of tasks: with more `other_tasks` (0: not known) for the same work there is more
  // delay.
  [[nodiscard]] ReplayedIdle idle_at(double p, double other_work, double other_span, double other_tasks) const;

 private:
  [[nodiscard]] ReplayedPlace between(double p) const;
};

}  // namespace foretask::predict
