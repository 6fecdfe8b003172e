// SPDX-License-Identifier: Apache-2.0
// Loops, sections, single and master are work of the threads' implicit tasks.
#include "integration/recorded.hpp"

using namespace record_test;

TEST_CASE("worksharing constructs are the work of their region") {
  for_each_runtime({1, 2}, [](const Settings& base) {
    const Scratch scratch;
    Settings settings = base;
    settings.warnings = {kNoTask};
    const Recorded recorded = record(scratch, "worksharing", {}, settings);
    CHECK(recorded["create_task"] == 0);
    const std::int64_t spent = numbers(recorded.outcome.out).at(0);
    const KernelRow region = kernel(recorded, "worksharing.c", "region");
    CHECK(region.count == settings.threads);
    CHECK(static_cast<double>(region.work_ns) == Approx(static_cast<double>(spent)).epsilon(0.1));
    CHECK(recorded["work_ns"] >= spent);
  });
}
