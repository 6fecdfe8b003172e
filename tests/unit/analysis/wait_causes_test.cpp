// SPDX-License-Identifier: Apache-2.0
// Why a loop's threads waited, of executions written down by hand.
#include "analysis/summaries.hpp"

#include "catch.hpp"

using foretask::analysis::LoopSchedule;
using foretask::analysis::TeamLoop;
using foretask::analysis::TeamWork;
using foretask::graph::TeamShare;
using foretask::wiring::WaitCauses;

namespace {

struct Share {
  std::uint64_t iterations = 0;
  std::int64_t ns = 0;
};

// Adds an execution whose threads run a block of iterations each, and wait for the slowest of them.
void add_execution(WaitCauses& causes, LoopSchedule schedule, const std::vector<Share>& threads) {
  TeamWork team;
  TeamLoop loop;
  loop.schedule = schedule;
  std::vector<TeamShare> shares;
  std::int64_t most = 0;
  std::int64_t sum = 0;
  for (std::uint32_t thread = 0; thread < threads.size(); ++thread) {
    const Share& own = threads[thread];
    const auto first = static_cast<std::int64_t>(loop.iterations);
    loop.iterations += own.iterations;
    team.pieces.push_back(
        {thread, first, static_cast<std::int64_t>(loop.iterations) - 1, own.iterations, static_cast<double>(own.ns)});
    shares.push_back({0, thread, false, own.ns});
    most = std::max(most, own.ns);
    sum += own.ns;
  }
  loop.end_piece = team.pieces.size();
  const auto count = static_cast<std::int64_t>(threads.size());
  causes.add(team, loop, shares, static_cast<std::uint32_t>(count), static_cast<double>(most * count - sum));
}

void check(const WaitCauses& causes, std::int64_t numbers_ns, std::int64_t costs_ns, std::int64_t speeds_ns) {
  const auto result = causes.result();
  REQUIRE(result);
  CHECK(result->numbers_ns == numbers_ns);
  CHECK(result->costs_ns == costs_ns);
  CHECK(result->speeds_ns == speeds_ns);
}

}  // namespace

TEST_CASE("as many iterations that take longer in every execution cost more") {
  WaitCauses causes;
  add_execution(causes, LoopSchedule::kStatic, {{5, 300}, {5, 100}});
  add_execution(causes, LoopSchedule::kStatic, {{5, 300}, {5, 100}});
  check(causes, 0, 400, 0);
}

TEST_CASE("three equal iterations for two threads are too few") {
  WaitCauses causes;
  add_execution(causes, LoopSchedule::kStatic, {{2, 200}, {1, 100}});
  check(causes, 100, 0, 0);
}

TEST_CASE("a thread that is the slowest once, and another the next time, differ in speed") {
  WaitCauses causes;
  add_execution(causes, LoopSchedule::kStatic, {{5, 300}, {5, 100}});
  add_execution(causes, LoopSchedule::kStatic, {{5, 100}, {5, 300}});
  check(causes, 0, 0, 400);
}

TEST_CASE("executions of other bounds are not taken for the same iterations") {
  WaitCauses causes;
  add_execution(causes, LoopSchedule::kStatic, {{5, 300}, {5, 100}});
  add_execution(causes, LoopSchedule::kStatic, {{6, 100}, {6, 300}});
  check(causes, 0, 400, 0);
}

TEST_CASE("under a dynamic schedule no thread waits for more than a chunk of another that is not held up") {
  WaitCauses causes;
  // Two chunks a thread of equal costs would end at once. The longest takes 300 / 5 ns.
  add_execution(causes, LoopSchedule::kDynamic, {{5, 300}, {5, 100}});
  check(causes, 0, 60, 140);
}

TEST_CASE("a costly first chunk of a guided loop is a cost, and an iteration too many a number") {
  WaitCauses guided;
  add_execution(guided, LoopSchedule::kGuided, {{16, 1'600}, {48, 480}});
  check(guided, 0, 1'120, 0);
  WaitCauses odd;
  // Five chunks for two threads: one runs an iteration more, of 60 ns in the mean.
  add_execution(odd, LoopSchedule::kDynamic, {{3, 180}, {2, 120}});
  check(odd, 60, 0, 0);
}

TEST_CASE("executions under another schedule are another division") {
  WaitCauses causes;
  add_execution(causes, LoopSchedule::kStatic, {{5, 300}, {5, 100}});
  add_execution(causes, LoopSchedule::kStatic, {{5, 300}, {5, 100}});
  add_execution(causes, LoopSchedule::kDynamic, {{5, 200}, {5, 200}});
  check(causes, 0, 400, 0);
}

TEST_CASE("of three threads the same one is not the slowest by chance") {
  WaitCauses causes;
  // Each is slower once; the third also the fourth time.
  add_execution(causes, LoopSchedule::kStatic, {{5, 300}, {5, 200}, {5, 200}});
  add_execution(causes, LoopSchedule::kStatic, {{5, 200}, {5, 300}, {5, 200}});
  add_execution(causes, LoopSchedule::kStatic, {{5, 200}, {5, 200}, {5, 300}});
  add_execution(causes, LoopSchedule::kStatic, {{5, 200}, {5, 200}, {5, 300}});
  // First and third: 500, 400, 500. Second and fourth: 400, 500, 500. The first half's first thread lacks nothing of
  // the others in the second one: 3 x 400 - 1,400 ns. The second half's second: 3 x 400 - 1,400.
  check(causes, 0, 0, 800);
}

TEST_CASE("of an execution that lost a piece, or was cut, nothing is said") {
  TeamWork team;
  team.pieces = {{0, 0, 4, 5, 1}};
  TeamLoop lost;
  lost.iterations = 10;
  lost.end_piece = 1;
  WaitCauses causes;
  causes.add(team, lost, std::vector<TeamShare>{{0, 0, false, 300}, {0, 1, false, 100}}, 2, 200);
  CHECK_FALSE(causes.result());
  TeamLoop cut = lost;
  cut.iterations = 5;
  cut.is_cut = true;
  WaitCauses of_cut;
  of_cut.add(team, cut, std::vector<TeamShare>{{0, 0, false, 300}, {0, 1, false, 100}}, 2, 200);
  CHECK_FALSE(of_cut.result());
}

TEST_CASE("nothing is said where no iterations were seen, of one thread, and where nothing was waited") {
  WaitCauses unseen;
  unseen.add({}, TeamLoop{}, std::vector<TeamShare>{{0, 0, false, 300}, {0, 1, false, 100}}, 2, 200);
  CHECK_FALSE(unseen.result());
  WaitCauses alone;
  add_execution(alone, LoopSchedule::kStatic, {{5, 300}});
  CHECK_FALSE(alone.result());
  WaitCauses even;
  add_execution(even, LoopSchedule::kStatic, {{5, 300}, {5, 300}});
  CHECK_FALSE(even.result());
}

TEST_CASE("a wait that a thread made up for elsewhere is divided by the same shares") {
  TeamWork team;
  team.pieces = {{0, 0, 1, 2, 1}, {1, 2, 2, 1, 1}};
  TeamLoop loop;
  loop.iterations = 3;
  loop.end_piece = 2;
  WaitCauses causes;
  // 200 ns were missing, 133 of them as much as a mean iteration takes; half of it was waited.
  causes.add(team, loop, std::vector<TeamShare>{{0, 0, false, 300}, {0, 1, false, 100}}, 2, 100);
  check(causes, 66, 34, 0);
}
