// SPDX-License-Identifier: Apache-2.0
#include "predict/program/replayed_graph.hpp"

#include <cmath>

#include "catch.hpp"

namespace foretask::predict {
namespace {

// Work 64, span 8: 8 of parallelism. On 8 workers as far from the one bound as from the other; costs an eighth of it.
const ReplayedGraph kGraph{.n = 1,
                           .work = 64,
                           .span = 8,
                           .tasks = 16,
                           .workers = 2,
                           .thread_time = 0.5,
                           .places = {{1, 0, 0, 0}, {8, 0.5, 0.125, 0}, {64, 1, 0.25, 0}}};

TEST_CASE("a replayed graph places the schedule between the bounds") {
  const auto place_at = [](double p, double work, double span) { return kGraph.at(p, work, span).place; };
  CHECK(place_at(8, 64, 8) == Approx(0.5));
  CHECK(place_at(64, 64, 8) == Approx(1));
  CHECK(place_at(1000, 64, 8) == Approx(1));
  // Twice the parallelism: 16 workers are as 8 were.
  CHECK(place_at(16, 128, 8) == Approx(0.5));
  // Halfway in the logarithm.
  CHECK(place_at(std::sqrt(8.0), 64, 8) == Approx(0.25));
}

TEST_CASE("delay and no work of a replay are those of the graph asked for") {
  // 8 workers: between max(64 / 8, 8) = 8 and 8 + 8 * 7 / 8 = 15 at 11.5: 28 of no work; 6 threads of 0.5 for all 8.
  const ReplayedIdle same = kGraph.idle_at(8, 64, 8, 16);
  CHECK(same.no_work == Approx(28 + 24));
  CHECK(same.delay == Approx(8));
  CHECK(same.imbalance == 0);
  CHECK(same.sd > 0);
  // Twice the tasks in the same work cost twice as much; what is not known changes nothing.
  CHECK(kGraph.idle_at(8, 64, 8, 32).delay == Approx(16));
  CHECK(kGraph.idle_at(8, 64, 8, 0).delay == Approx(8));
  // Twice the graph on 16 workers: an eighth of the work again.
  CHECK(kGraph.idle_at(16, 128, 8, 32).delay == Approx(16));
}

TEST_CASE("what static loops wait depends on the workers, whatever the input") {
  const ReplayedGraph loops{.n = 1, .work = 64, .span = 1, .places = {{1, 0, 0, 0}, {8, 1, 0, 0.75}}};
  CHECK(loops.at(8, 640, 1).imbalance == Approx(0.75));
  const ReplayedIdle idle = loops.idle_at(8, 640, 1, 0);
  CHECK(idle.imbalance == Approx(480));
  CHECK(idle.no_work >= idle.imbalance);
}

}  // namespace
}  // namespace foretask::predict
