// SPDX-License-Identifier: Apache-2.0
// What replays of a recorded graph say of other numbers of workers, for graphs of the same program that are larger.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace foretask::predict {

// Where the makespan of a greedy schedule lies between max(work / p, span), 0, and work / p + span (p - 1) / p, 1.
struct ReplayedPlace {
  double p = 1;
  double place = 0;
};

struct ReplayedGraph {
  double n = 0;
  double work = 0;
  double span = 0;
  std::vector<ReplayedPlace> places;  // at least one, p rising

  // For a graph with another work and span: as this one has it where it has as much parallelism for each worker.
  [[nodiscard]] double place_at(double p, double other_work, double other_span) const {
    const double same = std::max(1.0, p * (other_span / other_work) * (work / span));
    const auto next = std::find_if(places.begin(), places.end(), [&](const auto& one) { return one.p >= same; });
    if (next == places.begin()) return places.front().place;
    if (next == places.end()) return places.back().place;
    const ReplayedPlace& before = *(next - 1);
    const double share = std::log(same / before.p) / std::log(next->p / before.p);
    return before.place + share * (next->place - before.place);
  }
};

}  // namespace foretask::predict
