// SPDX-License-Identifier: Apache-2.0

#include "catch.hpp"
#include "report/simulate/simulation.hpp"

using Catch::Matchers::ContainsSubstring;
using foretask::report::SimulatedRun;
using foretask::report::Simulation;
using foretask::report::simulation_text;

namespace {

// 100 us of work, of which a tenth cannot be shared, on two cores.
Simulation two_cores(std::int64_t makespan_ns, std::int64_t measured_ns) {
  Simulation simulation;
  simulation.input = "run";
  simulation.tasks = 10;
  simulation.span_ns = 10'000;
  simulation.measured = {.workers = 2, .elapsed_ns = measured_ns};
  SimulatedRun run;
  run.cores = 2;
  run.workers = 2;
  run.replay.makespan_ns = run.replay.lowest_ns = run.replay.highest_ns = makespan_ns;
  run.replay.work_ns = 100'000;
  run.replay.speedup = 100'000.0 / static_cast<double>(makespan_ns);
  run.replay.utilization = run.replay.speedup / 2;
  simulation.runs.push_back(run);
  return simulation;
}

}  // namespace

TEST_CASE("a replay that is far from its own run says so") {
  CHECK_THAT(simulation_text(two_cores(60'000, 80'000)),
             ContainsSubstring("measured 80.0 us (-25.0 %)") &&
                 ContainsSubstring("On the recorded cores the replay is 25.0 % shorter than the run was"));
  CHECK_THAT(simulation_text(two_cores(60'000, 40'000)),
             ContainsSubstring("the replay is 50.0 % longer than the run was"));
  CHECK_THAT(simulation_text(two_cores(60'000, 66'000)),
             ContainsSubstring("(-9.1 %)") && !ContainsSubstring("On the recorded cores"));
}

TEST_CASE("a replay as long as its run is off by +0.0 %, never by -0.0 %") {
  CHECK_THAT(simulation_text(two_cores(59'999, 60'000)), ContainsSubstring("(+0.0 %)"));
}

TEST_CASE("a range is shown where its ends read differently") {
  Simulation simulation = two_cores(60'000, 60'000);
  simulation.runs[0].replay.replays = 15;
  simulation.runs[0].replay.highest_ns = 60'010;
  CHECK_THAT(simulation_text(simulation), !ContainsSubstring("60.0 us to 60.0 us"));
  simulation.runs[0].replay.highest_ns = 63'000;
  CHECK_THAT(simulation_text(simulation), ContainsSubstring("60.0 us to 63.0 us"));
}

TEST_CASE("the head says what there is, and no parallelism of work that was not seen to divide") {
  Simulation simulation = two_cores(60'000, 60'000);
  CHECK_THAT(simulation_text(simulation),
             ContainsSubstring("run: 10 tasks, 0 edges, work 100 us") && ContainsSubstring("parallelism 10.0"));
  simulation.contents = "2 parallel loops (run 7 times)";
  simulation.assumed_even = 0.9;
  CHECK_THAT(simulation_text(simulation),
             ContainsSubstring("run: 2 parallel loops (run 7 times), work 100 us, critical path "
                               "10.0 us\n") &&
                 !ContainsSubstring("parallelism 10.0"));
}

TEST_CASE("a replay on other cores of a run that was mostly the runtime's own work says what would settle it") {
  Simulation simulation = two_cores(60'000, 60'000);
  simulation.policy = foretask::analysis::Policy::kWorkStealing;
  simulation.costs.is_calibrated = true;
  simulation.costs.calibrated_threads = 2;
  simulation.measured->runtime_ns = 60'000;                                               // of 2 x 60 us
  CHECK_THAT(simulation_text(simulation), !ContainsSubstring("The runtime's own work"));  // on the recorded cores
  simulation.runs[0].cores = simulation.runs[0].workers = 1;
  CHECK_THAT(simulation_text(simulation),
             ContainsSubstring("The runtime's own work took 50.0 % of the recorded workers' time. On other cores") &&
                 ContainsSubstring("record on that number of threads") && !ContainsSubstring("unsure"));
  simulation.measured->runtime_ns = 40'000;
  CHECK_THAT(simulation_text(simulation), !ContainsSubstring("The runtime's own work"));
}

TEST_CASE("a replay on more cores of loops that were divided for fewer says so") {
  Simulation simulation = two_cores(60'000, 60'000);
  simulation.measured->loop_parts = 0.7;
  CHECK_THAT(simulation_text(simulation), !ContainsSubstring("Parts of loops"));
  simulation.runs[0].cores = simulation.runs[0].workers = 4;
  CHECK_THAT(simulation_text(simulation),
             ContainsSubstring("Parts of loops are 70.0 % of the critical path, as they were on 2 workers"));
}
