// SPDX-License-Identifier: Apache-2.0
// The cores' time by cause, a base beside it and the POP project's efficiencies: runs written down and counted by hand.
#include "foretask/analysis/causes.hpp"

#include <functional>

#include "catch.hpp"
#include "foretask/analysis/efficiencies.hpp"
#include "foretask/analysis/program_table.hpp"
#include "foretask/analysis/run.hpp"
#include "unit/analysis/described_run.hpp"
#include "unit/base/temp_folder.hpp"

using namespace foretask;
using namespace foretask::test;
using analysis::Cause;
using analysis::Run;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;

namespace {

// 100 us alone, then a region in which the first thread has `first_us` of work and the second `second_us`; without a
// second thread all of it is the first one's. Nothing else takes time.
Run run_of(const TempFolder& folder, const std::string& name, std::int64_t first_us, std::int64_t second_us,
           const std::function<void(trace::RunFile&)>& change = {}) {
  const std::uint32_t threads = second_us > 0 ? 2 : 1;
  TraceBuilder trace(threads);
  const Name initial = trace.initial(0, 0);
  const Name region = trace.fork(0, 100'000);
  const Name first = trace.member(0, 100'000, region, threads, 0);
  if (threads == 2) trace.member(1, 100'000, region, threads, 1);
  const std::int64_t end_ns = 100'000 + 1'000 * std::max(first_us, second_us);
  if (threads == 2) trace.barrier(1, 100'000 + 1'000 * second_us);
  trace.barrier(0, 100'000 + 1'000 * first_us);
  trace.barrier_end(0, end_ns);
  if (threads == 2) trace.barrier_end(1, end_ns);
  trace.member_end(0, end_ns, first);
  trace.join(0, end_ns, region);
  trace.member_end(0, end_ns, initial);
  trace::RunFile run = described({}, threads);
  run.command = {"./app", "-t", std::to_string(threads)};
  if (change) change(run);
  write_run(folder / name, trace, run);
  return Run::open(folder / name).value();
}

std::int64_t lost_ns(const analysis::CoreTime& time, Cause cause) {
  for (const analysis::LostTime& one : time.lost)
    if (one.cause == cause) return one.lost_ns;
  return 0;
}

bool adds_up(const analysis::Report& report) {
  std::int64_t sum_ns = report.core_time.useful_ns;
  for (const analysis::LostTime& one : report.core_time.lost) sum_ns += one.lost_ns;
  return sum_ns == report.workers * report.core_time.wall_ns;
}

}  // namespace

TEST_CASE("useful work and causes are all of the cores' time") {
  const TempFolder folder;
  const Run run = run_of(folder, "two", 300, 200);
  const analysis::CoreTime& time = run.report().core_time;
  CHECK(time.wall_ns == 400'000);
  CHECK(time.useful_ns == 600'000);
  CHECK(lost_ns(time, Cause::kSerial) == 100'000);
  CHECK(lost_ns(time, Cause::kImbalance) == 100'000);
  CHECK(time.lost.size() == 2);
  CHECK(adds_up(run.report()));
  CHECK_FALSE(time.base);
}

TEST_CASE("against a base on one thread, what takes longer on two is slower work") {
  const TempFolder folder;
  const Run base = run_of(folder, "one", 400, 0);
  Run run = run_of(folder, "two", 300, 200);
  REQUIRE(run.compare_with_base(base, "one"));
  const analysis::CoreTime& time = run.report().core_time;
  CHECK(time.useful_ns == 500'000);
  CHECK(lost_ns(time, Cause::kSlowerWork) == 100'000);
  CHECK(adds_up(run.report()));
  REQUIRE(time.base);
  CHECK(time.base->workers == 1);
  CHECK(time.base->wall_ns == 500'000);
  CHECK(run.report().warnings == run_of(folder, "again", 300, 200).report().warnings);  // "-t 1", "-t 2"
}

TEST_CASE("work that is quicker than in the base is below nothing, and the sum still holds") {
  const TempFolder folder;
  const Run base = run_of(folder, "one", 600, 0);
  Run run = run_of(folder, "two", 300, 200);
  REQUIRE(run.compare_with_base(base, "one"));
  CHECK(lost_ns(run.report().core_time, Cause::kSlowerWork) == -100'000);
  CHECK(run.report().core_time.lost.back().kernel.empty());
  CHECK(adds_up(run.report()));
}

TEST_CASE("what is no base is refused, and what may be another input is said") {
  const TempFolder folder;
  Run two = run_of(folder, "two", 300, 200);
  CHECK_THAT(two.compare_with_base(two, "two").error().message(), ContainsSubstring("A base has fewer"));
  const Run param = run_of(folder, "param", 400, 0, [](trace::RunFile& run) { run.params = {{"n", "5"}}; });
  CHECK_THAT(two.compare_with_base(param, "param").error().message(), ContainsSubstring("other parameters"));
  const Run build = run_of(folder, "build", 400, 0, [](trace::RunFile& run) { run.modules[0].build_id = "bb"; });
  CHECK_THAT(two.compare_with_base(build, "build").error().message(), ContainsSubstring("another build"));
  CHECK(two.report().core_time.useful_ns == 600'000);
  const Run command = run_of(folder, "command", 400, 0, [](trace::RunFile& run) {
    run.command = {"./app", "-n", "7"};
  });
  REQUIRE(two.compare_with_base(command, "command"));
  CHECK_THAT(two.report().warnings.back(), ContainsSubstring("called in another way"));
}

TEST_CASE("a run that other programs disturbed is left out of a table where another is like it") {
  const TempFolder folder;
  // 400 ms, of which the one thread waits for a core from 100 on, as its events say.
  const auto write = [&folder](const std::string& name, std::int64_t waited_ns) {
    TraceBuilder trace(1);
    const Name initial = trace.initial(0, 0);
    trace.create(0, 100'000'000);
    trace.run(0, 100'000'000, {0, 1});
    trace.end(0, 400'000'000);
    // Elapsed and, of it, on a core: a thread that is not blocked waits for one.
    trace.event(0, 400'000'000, FORETASK_EVENT_THREAD_TIMES,
                {400'000'000, 0, 400'000'000 - static_cast<std::uint32_t>(waited_ns), 0, 0, 0, 0});
    trace.member_end(0, 401'000'000, initial);
    trace::RunFile run = described({{"n", "5"}}, 1);
    run.machine.processors = run.machine.processors_usable = 2;
    write_run(folder / name, trace, run);
  };
  write("quiet", 0);
  write("again", 0);
  write("disturbed", 200'000'000);
  const auto table = analysis::program_table_of_runs({folder / "quiet", folder / "disturbed", folder / "again"}, "n");
  INFO((table ? "" : table.error().message()));
  REQUIRE(table);
  REQUIRE(table->runs.size() == 2);
  CHECK_THAT(table->warnings.front(), ContainsSubstring("disturbed") && ContainsSubstring("it is left out"));
}

TEST_CASE("the run without a cause takes what all cores lost to it less") {
  const TempFolder folder;
  Run run = run_of(folder, "two", 300, 200);
  run.try_without_causes({16});
  const analysis::CoreTime& time = run.report().core_time;
  REQUIRE(time.replays.size() == 1);
  CHECK(time.replays[0].cores == 16);
  for (const analysis::LostTime& one : time.lost) {
    REQUIRE_FALSE(one.without.empty());
    CHECK(one.without[0].cores == 2);
    CHECK(one.without[0].time_ns == 350'000);
    if (one.cause != Cause::kSerial) continue;
    REQUIRE(one.without.size() == 2);
    CHECK(one.without[1].time_ns == time.replays[0].time_ns - 100'000);
  }
}

// POP's definitions: 600 us of 2 * 400; the most of any worker is 400; nothing is the runtime's.
TEST_CASE("the POP project's efficiencies of a case by hand") {
  const TempFolder folder;
  const Run base = run_of(folder, "one", 400, 0);
  const Run run = run_of(folder, "two", 300, 200);
  const analysis::Efficiencies two = efficiencies_of(run, &base);
  CHECK_THAT(two.parallel, WithinRel(0.75, 1e-9));
  CHECK_THAT(two.load_balance, WithinRel(0.75, 1e-9));
  CHECK_THAT(two.serialisation, WithinRel(1, 1e-9));
  CHECK_THAT(two.transfer, WithinRel(1, 1e-9));
  REQUIRE(two.computation_scaling);
  CHECK_THAT(*two.computation_scaling, WithinRel(500.0 / 600, 1e-9));
  CHECK_THAT(*two.global, WithinRel(0.75 * 500 / 600, 1e-9));
  CHECK_FALSE(two.ipc_scaling);
  const analysis::Efficiencies one = efficiencies_of(base, nullptr);
  CHECK_THAT(one.parallel, WithinRel(1, 1e-9));
  CHECK_FALSE(one.global);
}
