// SPDX-License-Identifier: Apache-2.0
// Locks and critical sections: waiting for them is blocked time, holding them is work.
#include "integration/recorded.hpp"

using namespace record_test;

namespace {

// Of the region's work, against the time for which the program says that locks were held.
double held_error(const Recorded& run) {
  const auto held = static_cast<double>(numbers(run.outcome.out).at(1));
  return time_error(static_cast<double>(kernel(run, "locks.c", "region").work_ns), held);
}

}  // namespace

TEST_CASE("waiting for what another thread holds is blocked time, as long as the program's own clock says") {
  for_each_runtime({2}, [](const Settings& base) {
    for (const std::string kind : {"critical", "lock", "fortran", "nest"}) {
      INFO(kind);
      Settings settings = base;
      const auto blocked_error = [](const Recorded& run) {
        const auto waited = static_cast<double>(numbers(run.outcome.out).at(0));
        // The recorded clock stands while strands wait for a core, the program's own goes on.
        const auto blocked = static_cast<double>(run["blocked_ns"]);
        const auto stood = static_cast<double>(run["core_wait_elapsed_ns"]);
        const double difference = std::max({0.0, blocked - waited, waited - blocked - stood});
        return difference < 1e5 ? 0 : difference / waited;
      };
      const auto error = [&](const Recorded& run) { return std::max(blocked_error(run), held_error(run)); };
      const Recorded recorded = nearest_run([&] { return record(Scratch(), "locks", {kind}, settings); }, error);
      CHECK(numbers(recorded.outcome.out).at(0) > 0);
      CHECK(blocked_error(recorded) <= 0.1);
      CHECK(held_error(recorded) <= 0.1);
      // While one thread holds it the other waits: hardly anything is parallel.
      CHECK(recorded["no_work_ns"] >= recorded["blocked_ns"]);
      const json& lock = recorded.report.at("locks").at(0);
      CHECK(lock.at("times") == 20);
      CHECK(time_error(lock.at("held_ns").get<double>(), static_cast<double>(numbers(recorded.outcome.out).at(1))) <=
            0.1);
    }
  });
}

TEST_CASE("locks that are free are no blocked time to speak of") {
  for_each_runtime({1, 2}, [](const Settings& base) {
    Settings settings = base;
    const Recorded recorded =
        nearest_run([&settings] { return record(Scratch(), "locks", {"free"}, settings); }, held_error);
    const std::int64_t held = numbers(recorded.outcome.out).at(1);
    CHECK(static_cast<double>(recorded["blocked_ns"]) < 0.1 * static_cast<double>(held));
    CHECK(held_error(recorded) <= 0.1);
  });
}
