// SPDX-License-Identifier: Apache-2.0
// What the workers' time without a strand was lost to, counted by hand.
#include <functional>
#include <numeric>
#include <string>

#include "catch.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::analysis::Cause;
using foretask::graph::RecordedGraph;
using namespace foretask::test;

namespace {

// "serial 30, imbalance 100": in the order of the causes, without those of nothing.
std::string text_of(const RecordedGraph& built) {
  std::string text;
  for (std::size_t cause = 0; cause < built.idle_ns.size(); ++cause)
    if (built.idle_ns[cause] != 0)
      text += (text.empty() ? "" : ", ") + std::string(cause_name(static_cast<Cause>(cause))) + " " +
              std::to_string(built.idle_ns[cause]);
  return text;
}

bool adds_up(const RecordedGraph& built) {
  return std::accumulate(built.idle_ns.begin(), built.idle_ns.end(), std::int64_t{0}) ==
         built.delay_ns + built.no_work_ns;
}

// The kernel that cost the others most by it.
std::uint64_t code_to_blame(const RecordedGraph& built, Cause cause) {
  std::size_t most = 0;
  for (std::size_t kernel = 0; kernel < built.kernels.size(); ++kernel)
    if (built.kernel_totals[kernel].lost_ns[static_cast<std::size_t>(cause)] >
        built.kernel_totals[most].lost_ns[static_cast<std::size_t>(cause)])
      most = kernel;
  return built.kernels[most].code;
}

// A team of two from 20 ns on, after 10 of serial part and 10 in which the team is forked: two workers.
RecordedGraph of_team(const std::function<void(TraceBuilder&)>& both, std::int64_t end_ns) {
  TraceBuilder trace(2);
  trace.begin_team(2);
  both(trace);
  trace.end_team(end_ns);
  return trace.build();
}

// Beside what a test does: the first 10 ns and the last 10 are serial, the fork is 10 ns of both, and from the end on
// both wait 10 ns in the barrier, one for 10 ns more, and both 10 ns for the region's end.
constexpr std::int64_t kSerial = 10 + 10;
constexpr std::int64_t kRegion = 2 * 10 + 2 * 10 + 10 + 2 * 10;

std::string with_team(const std::string& more) { return "serial " + std::to_string(kSerial) + more; }

}  // namespace

TEST_CASE("a thread that is early at a barrier waits for the code of the one that is late") {
  const auto built = of_team([](TraceBuilder& trace) { trace.barrier(1, 120); }, 420);
  CHECK(text_of(built) == with_team(", imbalance 300, region_costs " + std::to_string(kRegion)));
  CHECK(code_to_blame(built, Cause::kImbalance) == 0x9000);
  CHECK(adds_up(built));
}

TEST_CASE("a worker beside a task that runs alone has too few tasks") {
  const auto built = of_team(
      [](TraceBuilder& trace) {
        trace.barrier(1, 20);
        const Name task = trace.create(0, 20);
        trace.wait(0, 20);
        trace.run(0, 20, task);
        trace.end(0, 520);
        trace.wait_end(0, 520);
      },
      520);
  CHECK(text_of(built) == with_team(", critical_path 500, region_costs " + std::to_string(kRegion)));
  CHECK(code_to_blame(built, Cause::kCriticalPath) == 0x1000);
  CHECK(adds_up(built));
}

TEST_CASE("a worker that comes late to a ready task costs scheduling") {
  const auto built = of_team(
      [](TraceBuilder& trace) {
        trace.barrier(1, 20);
        const Name task = trace.create(0, 20);
        trace.run(1, 220, task);  // 200 ns later
        trace.end(1, 320);
        trace.wait(0, 320);
        trace.wait_end(0, 320);
      },
      320);
  CHECK(text_of(built) == with_team(", task_costs 200, region_costs " + std::to_string(kRegion)));
  CHECK(adds_up(built));
}

TEST_CASE("a thread that waits for a lock waits for the lock") {
  const auto built = of_team(
      [](TraceBuilder& trace) {
        trace.want(0, 900);
        trace.acquire(0, 900);
        trace.want(1, 1'000);
        trace.release(0, 51'000);
        trace.acquire(1, 51'000);
        trace.release(1, 52'000);
        trace.barrier(1, 60'000);
      },
      60'000);
  CHECK(text_of(built) == with_team(", region_costs " + std::to_string(kRegion) + ", locks 50000"));
  CHECK(adds_up(built));
}

TEST_CASE("a team that begins late costs the region, and not the one that is early") {
  TraceBuilder trace(2);
  const Name initial = trace.initial(0, 0);
  const Name region = trace.fork(0, 100);
  const Name first = trace.member(0, 110, region, 2, 0);
  const Name second = trace.member(1, 310, region, 2, 1);  // 200 ns behind the first
  trace.barrier(0, 510);
  trace.barrier(1, 510);
  trace.barrier_end(0, 510);
  trace.member_end(0, 510, first);
  trace.barrier_end(1, 510);
  trace.member_end(1, 510, second);
  trace.join(0, 510, region);
  trace.member_end(0, 600, initial);
  const auto built = trace.build();
  // 100 and 90 ns alone; the fork 2 * 10, then one of them 200.
  CHECK(text_of(built) == "serial 190, region_costs 220");
  CHECK(code_to_blame(built, Cause::kRegionCosts) == 0x9000);
  CHECK(adds_up(built));
}

TEST_CASE("on one thread regions cost what nothing runs in") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.end_team(1'020);
  const auto built = trace.build();
  // 10 ns of fork, 10 of barrier, 10 of join.
  CHECK(text_of(built) == "region_costs 30");
  CHECK(adds_up(built));
}

TEST_CASE("where as many threads run as there are processors, those that are yet to begin have no core") {
  TraceBuilder trace(2);
  const Name initial = trace.initial(0, 0);
  const Name region = trace.fork(0, 100);
  const Name first = trace.member(0, 110, region, 2, 0);
  trace.member(1, 310, region, 2, 1);
  trace.barrier(0, 510);
  trace.barrier(1, 510);
  trace.barrier_end(0, 510);
  trace.member_end(0, 510, first);
  trace.barrier_end(1, 510);
  trace.join(0, 510, region);
  trace.member_end(0, 600, initial);
  const auto built = trace.build({}, 0, {}, false, {}, {}, 1);
  CHECK(text_of(built) == "serial 190, region_costs 20, no_core 200");
  CHECK(adds_up(built));
}

TEST_CASE("a region is to blame for its own team's costs, and not for those of regions within it") {
  TraceBuilder trace(1);
  const Name initial = trace.initial(0, 0);
  const Name outer = trace.fork(0, 100, 0x9000);
  const Name in_outer = trace.member(0, 110, outer, 1, 0);
  for (std::int64_t at = 200; at < 500; at += 100) {
    const Name inner = trace.fork(0, at, 0x9500);
    const Name in_inner = trace.member(0, at + 40, inner, 1, 0);
    trace.member_end(0, at + 50, in_inner);
    trace.join(0, at + 60, inner);
  }
  trace.member_end(0, 600, in_outer);
  trace.join(0, 605, outer);
  trace.member_end(0, 700, initial);
  const auto built = trace.build();
  CHECK(text_of(built) == "region_costs " + std::to_string(10 + 3 * 50 + 5));
  CHECK(code_to_blame(built, Cause::kRegionCosts) == 0x9500);
  std::uint64_t regions = 0;
  for (const auto& kernel : built.kernel_totals) regions = std::max(regions, kernel.regions);
  CHECK(regions == 3);
}

TEST_CASE("a task before a barrier does not make a loop behind it one of tasks") {
  const auto built = of_team(
      [](TraceBuilder& trace) {
        const Name task = trace.create(0, 20);
        trace.run(0, 20, task);
        trace.end(0, 30);
        trace.barrier(0, 30);
        trace.barrier(1, 30);
        trace.barrier_end(0, 30);
        trace.barrier_end(1, 30);
        trace.barrier(1, 130);
      },
      430);
  CHECK(text_of(built).find("imbalance 300") != std::string::npos);
  CHECK(text_of(built).find("critical_path") == std::string::npos);
}
