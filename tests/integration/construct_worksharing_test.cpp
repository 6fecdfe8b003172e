// SPDX-License-Identifier: Apache-2.0
// Loops, sections, single and master are work of the threads' implicit tasks.
#include "integration/recorded.hpp"

using namespace record_test;

TEST_CASE("worksharing constructs are the work of their region") {
  for_each_runtime({1, 2}, [](const Settings& base) {
    Settings settings = base;
    settings.warnings = {kNoTask};
    const auto error = [](const Recorded& run) {
      const auto spent = static_cast<double>(numbers(run.outcome.out).at(0));
      return time_error(static_cast<double>(kernel(run, "worksharing.c", "region").work_ns), spent);
    };
    const Recorded recorded =
        nearest_run([&settings] { return record(Scratch(), "worksharing", {}, settings); }, error);
    CHECK(error(recorded) <= 0.1);
    CHECK(recorded["create_task"] == 0);
    CHECK(kernel(recorded, "worksharing.c", "region").count == settings.threads);
    CHECK(recorded["work_ns"] >= numbers(recorded.outcome.out).at(0));
  });
}
