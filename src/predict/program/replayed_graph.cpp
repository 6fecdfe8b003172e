// SPDX-License-Identifier: Apache-2.0
#include "predict/program/replayed_graph.hpp"

#include <algorithm>
#include <cmath>

#include "predict/program/bounds.hpp"

namespace foretask::predict {
namespace {

// Standard deviations of guesses: of the place between the bounds, and of costs as a share of them.
constexpr double kPlaceSd = 0.1;
constexpr double kCostSd = 0.3;

}  // namespace

ReplayedPlace ReplayedGraph::between(double p) const {
  const auto next = std::find_if(places.begin(), places.end(), [p](const auto& one) { return one.p >= p; });
  if (next == places.begin()) return places.front();
  if (next == places.end()) return places.back();
  const ReplayedPlace& before = *(next - 1);
  const double share = std::log(p / before.p) / std::log(next->p / before.p);
  const auto part = [share](double from, double to) { return from + share * (to - from); };
  return {p, part(before.place, next->place), part(before.delay, next->delay), part(before.imbalance, next->imbalance)};
}

ReplayedPlace ReplayedGraph::at(double p, double other_work, double other_span) const {
  ReplayedPlace found = between(std::max(1.0, p * (other_span / other_work) * (work / span)));
  found.p = p;
  found.imbalance = between(p).imbalance;
  return found;
}

ReplayedIdle ReplayedGraph::idle_at(double p, double other_work, double other_span, double other_tasks) const {
  const GreedyTimes times(other_work, other_span, p);
  const double width = times.most - times.least;
  const ReplayedPlace found = at(p, other_work, other_span);
  const double density = tasks > 0 && other_tasks > 0 ? (other_tasks / other_work) / (tasks / work) : 1;
  const double threads = p * thread_time * std::max(0.0, p - workers);
  ReplayedIdle idle;
  idle.delay = found.delay * density * other_work;
  idle.imbalance = found.imbalance * other_work;
  idle.no_work = std::max(p * (times.least + found.place * width) - other_work, 0.0) + idle.imbalance + threads;
  idle.sd = std::hypot(kPlaceSd * p * width, std::max(kCostSd, cost_spread) * idle.delay, kCostSd * threads);
  return idle;
}

}  // namespace foretask::predict
