// SPDX-License-Identifier: Apache-2.0
#include "trace/stamp_range.hpp"

#include "catch.hpp"

namespace trace = foretask::trace;

namespace {

constexpr std::uint64_t kNoEnd = ~std::uint64_t{0} >> 1;

// 2e9 ticks a second; from tick 1e12 on for 10 s.
trace::RunFile ten_seconds() {
  trace::RunFile run;
  run.state = "complete";
  run.ticks_per_second = 2e9;
  run.start = {1'000'000'000'000, 500'000'000'000};
  run.end = {1'020'000'000'000, 510'000'000'000};
  run.started = "2026-01-02T03:04:05Z";
  return run;
}

}  // namespace

TEST_CASE("stamps of a run that ended lie between its start and its end, but for a little") {
  const auto range = trace::stamp_range(ten_seconds(), 0);
  CHECK(range.earliest == 999'980'000'000);  // 10 ms before
  CHECK(range.latest == 1'022'000'000'000);  // 1 s after
}

TEST_CASE("no stamp is behind the moment when the program was gone") {
  trace::RunFile run = ten_seconds();
  run.exit_ns = 510'000'000'000;
  CHECK(trace::stamp_range(run, 0).latest == 1'020'220'000'000);  // 1 % of 10 s and 10 ms
  run.state = "recording";
  run.end = {};
  CHECK(trace::stamp_range(run, 0).latest == 1'020'220'000'000);
}

TEST_CASE("of a run without an end no stamp is in the future") {
  trace::RunFile run = ten_seconds();
  run.state = "recording";
  run.end = {};
  const std::int64_t started = 1767323045;  // date -u -d 2026-01-02T03:04:05Z +%s
  CHECK(trace::seconds_of(run.started) == started);
  // An hour and a minute later, and an hour that two clocks may differ: 7260 s, and 1 % of it.
  CHECK(trace::stamp_range(run, started + 3660).latest == 1'000'000'000'000 + 2'000'000'000 * 7332ULL + 1'200'000'000);
  CHECK(trace::stamp_range(run, started - 5000).latest == kNoEnd);
  run.started = "yesterday";
  CHECK(trace::stamp_range(run, started).latest == kNoEnd);
  run.start = {};
  CHECK(trace::stamp_range(run, started).earliest == 0);
}

TEST_CASE("a run's counter and its clock must agree on its length") {
  CHECK_FALSE(trace::clock_contradicts_itself(ten_seconds()));
  const auto contradicts = [](auto change) {
    trace::RunFile run = ten_seconds();
    change(run);
    return trace::clock_contradicts_itself(run);
  };
  CHECK(contradicts([](auto& run) { run.start.ticks -= 1'000'000'000; }));
  CHECK(contradicts([](auto& run) { run.end.ticks += 1'000'000'000; }));
  CHECK(contradicts([](auto& run) { run.start.monotonic_ns -= 1'000'000'000; }));
  CHECK(contradicts([](auto& run) { run.end.monotonic_ns = 1; }));
  CHECK(contradicts([](auto& run) { run.ticks_per_second = 2.1e9; }));
  CHECK(contradicts([](auto& run) { run.exit_ns = 7; }));
  CHECK_FALSE(contradicts([](auto& run) { run.end = {}; }));
}
