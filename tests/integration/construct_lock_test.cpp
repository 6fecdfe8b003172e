// SPDX-License-Identifier: Apache-2.0
// Locks and critical sections: waiting for them is blocked time, holding them is work.
#include "integration/recorded.hpp"

using namespace record_test;

TEST_CASE("waiting for what another thread holds is blocked time, as long as the program's own clock says") {
  for_each_runtime({2}, [](const Settings& base) {
    for (const std::string kind : {"critical", "lock", "nest"}) {
      INFO(kind);
      const Scratch scratch;
      Settings settings = base;
      settings.warnings = {kNoTask};
      const Recorded recorded = record(scratch, "locks", {kind}, settings);
      const std::vector<std::int64_t> found = numbers(recorded.outcome.out);
      const std::int64_t waited = found.at(0);
      const std::int64_t held = found.at(1);
      CHECK(waited > 0);
      CHECK(static_cast<double>(recorded["blocked_ns"]) ==
            Approx(static_cast<double>(waited)).epsilon(0.1).margin(1e5));
      const KernelRow region = kernel(recorded, "locks.c", "region");
      CHECK(static_cast<double>(region.work_ns) == Approx(static_cast<double>(held)).epsilon(0.1));
      // While one thread holds it the other waits: hardly anything is parallel.
      CHECK(recorded["no_work_ns"] >= recorded["blocked_ns"]);
    }
  });
}

TEST_CASE("locks that are free are no blocked time to speak of") {
  for_each_runtime({1, 2}, [](const Settings& base) {
    const Scratch scratch;
    Settings settings = base;
    settings.warnings = {kNoTask};
    const Recorded recorded = record(scratch, "locks", {"free"}, settings);
    const std::int64_t held = numbers(recorded.outcome.out).at(1);
    CHECK(static_cast<double>(recorded["blocked_ns"]) < 0.1 * static_cast<double>(held));
    CHECK(static_cast<double>(kernel(recorded, "locks.c", "region").work_ns) ==
          Approx(static_cast<double>(held)).epsilon(0.1));
  });
}
