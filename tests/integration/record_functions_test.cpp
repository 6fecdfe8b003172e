// SPDX-License-Identifier: Apache-2.0
// The functions within kernels, as the system's samples of the threads show them.
#include <cstdio>
#include <string_view>

#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

// Whether this system lets threads be sampled; if not, the test is left out, with the reason.
bool is_sampled(const Recorded& recorded) {
  const json& sampling = recorded.report.at("function_sampling");
  if (sampling.at("period_ns") != 0) return true;
  std::printf("skipped: threads are not sampled here: %s\n", sampling.at("reason").get<std::string>().c_str());
  return false;
}

// Of the kernel's samples, the part in `function`.
double share_of(const json& kernel, const std::string& function) {
  double all = 0;
  double own = 0;
  for (const json& entry : kernel.at("functions")) {
    const auto samples = entry.at("samples").get<double>();
    all += samples;
    if (entry.at("name").get<std::string>().starts_with(function)) own += samples;
  }
  return all == 0 ? 0 : own / all;
}

const json& kernel_named(const Recorded& recorded, std::string_view part) {
  for (const json& kernel : recorded.report.at("kernels"))
    if (kernel.at("name").get<std::string>().find(part) != std::string::npos) return kernel;
  FAIL("no kernel is called " << part << ": " << recorded.report.at("kernels").dump());
  return recorded.report;
}

}  // namespace

TEST_CASE("functions have their parts of a loop's time and of the serial part's") {
  for_each_runtime({1, 2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "functions", {}, settings);
    if (!is_sampled(recorded)) return;
    // Some 500 samples on a machine that takes 4 ns a step: three standard deviations are 0.06.
    const json& loop = kernel_named(recorded, "main (functions.c");
    CHECK(share_of(loop, "three_parts (functions.c)") == Approx(0.75).margin(0.12));
    CHECK(share_of(loop, "one_part (functions.c)") == Approx(0.25).margin(0.12));
    CHECK(share_of(kernel_named(recorded, "(serial part)"), "set_up (functions.c)") > 0.8);
    const Outcome text = cli_test::foretask(scratch, {"report", recorded.folder});
    CHECK_THAT(text.out, ContainsSubstring("  three_parts (functions.c)"));
    CHECK_THAT(text.out, ContainsSubstring("Indented: functions, by "));
  });
}

TEST_CASE("without samples no function is named, and nothing is said of them") {
  const Scratch scratch;
  Settings settings;
  settings.options = {"--no-samples"};
  const Recorded recorded = record(scratch, "functions", {}, settings);
  CHECK(recorded.report.at("function_sampling").at("period_ns") == 0);
  CHECK(recorded.report.at("function_sampling").at("reason") == "");
  CHECK_FALSE(recorded.report.at("kernels")[0].contains("functions"));
  const Outcome text = cli_test::foretask(scratch, {"report", recorded.folder});
  CHECK_THAT(text.out, !ContainsSubstring("Functions within kernels"));
  CHECK_THAT(text.out, !ContainsSubstring("Indented"));
}
