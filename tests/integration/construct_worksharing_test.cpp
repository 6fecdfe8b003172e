// SPDX-License-Identifier: Apache-2.0
// Loops and sections that the runtime hands out are kernels of their own; static loops of GCC, single and master are
// work of the threads' implicit tasks.
#include "integration/recorded.hpp"

using namespace record_test;

namespace {

// Of the region and of what its threads share.
std::int64_t work_in_region(const Recorded& recorded) {
  std::int64_t work_ns = 0;
  for (const json& kernel : recorded.report.at("kernels"))
    if (kernel.at("name") != "(serial part)") work_ns += kernel.at("work_ns").get<std::int64_t>();
  return work_ns;
}

}  // namespace

TEST_CASE("worksharing constructs are the work of their region, and each loop's is known") {
  for_each_runtime({1, 2}, [](const Settings& base) {
    const Settings settings = base;
    const auto error = [](const Recorded& run) {
      const auto spent = static_cast<double>(numbers(run.outcome.out).at(0));
      return time_error(static_cast<double>(work_in_region(run)), spent);
    };
    const Recorded recorded =
        nearest_run([&settings] { return record(Scratch(), "worksharing", {}, settings); }, error);
    CHECK(error(recorded) <= 0.1);
    CHECK(recorded["create_task"] == 0);
    CHECK(recorded["work_ns"] >= numbers(recorded.outcome.out).at(0));
    // The program's text: eight iterations of 1 ms each, twice handed out by the runtime, and two sections.
    int of_eight = 0;
    int of_two = 0;
    for (const json& loop : recorded.report.at("loops")) {
      if (loop.at("iterations") == 8) ++of_eight;
      if (loop.at("iterations") == 2) ++of_two;
      if (loop.at("iterations") == 0) continue;
      CHECK(loop.at("instances") == 1);
      CHECK(loop.at("threads") == settings.threads);
      CHECK(loop.at("work_ns").get<double>() >= 0.9e6 * loop.at("iterations").get<double>());
      CHECK(loop.at("imbalance").is_null() == (settings.threads == 1));
    }
    CHECK(of_eight >= 2);
    CHECK(of_two == 1);
  });
}
