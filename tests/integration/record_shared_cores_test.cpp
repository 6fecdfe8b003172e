// SPDX-License-Identifier: Apache-2.0
// Waits for a core are not the program's work; sleeping is, and the report says so.
#include <sched.h>
#include <unistd.h>

#include "integration/recorded.hpp"
#include "skip.hpp"

using namespace record_test;

namespace {

int first_processor() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &set)) return processor;
  return 0;
}

bool is_told() {
  std::ifstream file("/proc/thread-self/schedstat");
  std::int64_t on_core_ns = 0;
  return file >> on_core_ns && on_core_ns != 0;
}

// On one processor. Of figures alone: how a replay compares with what ran is another thing here.
json report_on_one_processor(const Scratch& scratch, const std::string& kind, int threads) {
  const Outcome outcome = run(scratch,
                              {"taskset", "-c", std::to_string(first_processor()), "timeout", "-k", "5", "120",
                               cli_test::kForetask, "record", "--out", "run", "--", program("cores"), kind},
                              assignments({.threads = threads}));
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  json report = report_of(scratch, "run");
  check_figures(report, {});
  return report;
}

double ratio(const json& of, const char* part, const char* whole) {
  return of.at(part).get<double>() / of.at(whole).get<double>();
}

json kernel_named(const json& report, const std::string& part) {
  const json& kernels = report.at("kernels");
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&part](const json& kernel) {
    return kernel.at("name").get<std::string>().find(part) != std::string::npos;
  });
  INFO(kernels.dump());
  REQUIRE(found != kernels.end());
  return *found;
}

}  // namespace

TEST_CASE("of threads that share a processor the waits for it are taken out, and the report warns") {
  if (!is_told()) FORETASK_SKIP("the system does not say how long a thread waits for a core");
  const Scratch scratch;
  const json report = report_on_one_processor(scratch, "works", 4);
  // Each of the four was on the processor for a quarter of the time.
  CHECK(report.at("core_wait_ns") > report.at("work_ns"));
  CHECK(ratio(report, "work_ns", "elapsed_ns") > 2);
  REQUIRE(report.at("warnings").size() == 1);
  CHECK_THAT(report.at("warnings")[0].get<std::string>(),
             Catch::Matchers::ContainsSubstring("4 threads shared 1 core: "));
  // All of the four are bound to it, and this machine has more.
  const json& causes = report.at("causes");
  CHECK((causes[0].at("name") == "bound" || ::sysconf(_SC_NPROCESSORS_ONLN) == 1));
  CHECK(causes[0].at("lost_ns").get<double>() > 2.5 * report.at("work_ns").get<double>());
}

TEST_CASE("a sleep before the first region is blocked time of the serial part") {
  if (!is_told()) FORETASK_SKIP("the system does not say how long a thread waits for a core");
  const Scratch scratch;
  const json report = report_on_one_processor(scratch, "sleeps", 1);
  // It computes for some ms, and sleeps for 200.
  CHECK(ratio(kernel_named(report, "(serial part)"), "system_blocked_ns", "work_ns") > 0.7);
  const Outcome text = cli_test::foretask(scratch, {"report", "run"});
  CHECK_THAT(text.out, Catch::Matchers::ContainsSubstring("blocked in the system"));
}

TEST_CASE("bodies that sleep keep their time") {
  if (!is_told()) FORETASK_SKIP("the system does not say how long a thread waits for a core");
  const Scratch scratch;
  const json report = report_on_one_processor(scratch, "bodies", 4);
  // 40 times 2 ms at least. What a thread waits for the core when it wakes up may be taken out of another one's sleep.
  const json loop = kernel_named(report, "loop");
  CHECK(loop.at("work_ns").get<std::int64_t>() + report.at("core_wait_ns").get<std::int64_t>() >= 80'000'000);
  CHECK(ratio(loop, "system_blocked_ns", "work_ns") > 0.9);
}
