// SPDX-License-Identifier: Apache-2.0
#include "predict/program/program_cells.hpp"

#include "catch.hpp"

namespace foretask::predict {
namespace {

analysis::ProgramRun run_of(double n, double p, double work, double time) {
  analysis::ProgramRun run;
  run.n = n;
  run.p = p;
  run.work = work;
  run.time = time;
  return run;
}

TEST_CASE("runs with one n and p are joined to their medians, each value by itself") {
  const std::vector<analysis::ProgramRun> runs{run_of(20, 1, 7, 7),  run_of(10, 2, 5, 9), run_of(10, 2, 1, 8),
                                               run_of(10, 2, 90, 3), run_of(10, 1, 4, 4), run_of(10, 1, 6, 5)};
  const auto cells = program_cells(runs);
  REQUIRE(cells.size() == 3);
  CHECK((cells[0].n == 10 && cells[0].p == 1 && cells[0].work == 5 && cells[0].time == 4.5));
  CHECK((cells[1].n == 10 && cells[1].p == 2 && cells[1].work == 5 && cells[1].time == 8));
  CHECK((cells[2].n == 20 && cells[2].p == 1 && cells[2].work == 7 && cells[2].time == 7));
  CHECK(sizes_of(runs) == std::vector<double>{10, 20});
  CHECK(workers_of(runs) == std::vector<double>{1, 2});
}

}  // namespace
}  // namespace foretask::predict
