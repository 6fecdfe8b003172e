// SPDX-License-Identifier: Apache-2.0
// Recordings replayed by oneTBB's rules, next to LLVM's. The schedules are made by hand.

#include "catch.hpp"
#include "foretask/analysis/simulate.hpp"
#include "unit/simulate/recording_of.hpp"

using namespace foretask::analysis;

namespace {

SimulationResult replay(const Recording& run, const char* runtime, std::uint32_t cores) {
  SimulationOptions options;
  options.policy = Policy::kWorkStealing;
  options.cores = cores;
  options.costs.rules = runtime_rules(runtime, "");
  options.keep_schedule = true;
  return *simulate(run.graph(), options);
}

}  // namespace

TEST_CASE("a oneTBB thread whose task waits takes any task, and comes back when that is over") {
  // `x` waits from 15 to 110 for a child that a third thread has taken. At 20 the root creates `y`.
  Recording run;
  const auto root = run.add_task(kNoNode, 0);
  const auto x = run.create(root, 10, 20);
  const auto y = run.create(root, 500, 1000);
  const auto inner = run.create(x, 100, 5);
  const auto behind = run.wait(x, 1);
  run.wait(root, 1);
  const auto on_tbb = replay(run, "tbb", 3);
  CHECK(on_tbb.schedule[run.tasks[inner].first].start_ns == 10);
  CHECK(on_tbb.schedule[run.tasks[y].first].start_ns == 20);
  CHECK(on_tbb.schedule[run.tasks[y].first].worker == on_tbb.schedule[run.tasks[x].first].worker);
  CHECK(on_tbb.schedule[behind].start_ns == 520);
  const auto on_llvm = replay(run, "openmp", 3);
  CHECK(on_llvm.schedule[run.tasks[y].first].start_ns == 110);
  CHECK(on_llvm.schedule[behind].start_ns == 110);
}

TEST_CASE("a oneTBB thread that is alone runs its newest task when it waits") {
  Recording run;
  const auto root = run.add_task(kNoNode, 10);
  const auto older = run.create(root, 5, 20);
  const auto newer = run.create(root, 7, 30);
  run.wait(root, 0);
  const auto on_tbb = replay(run, "tbb", 1);
  CHECK(on_tbb.schedule[run.tasks[newer].first].start_ns == 60);
  CHECK(on_tbb.schedule[run.tasks[older].first].start_ns == 67);
  // LLVM's runs each within its creation.
  CHECK(replay(run, "openmp", 1).schedule[run.tasks[older].first].start_ns == 10);
}
