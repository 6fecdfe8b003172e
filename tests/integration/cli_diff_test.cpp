// SPDX-License-Identifier: Apache-2.0
// diff: recordings before and after, and on one and on two threads.
#include <nlohmann/json.hpp>

#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

const std::string kClang = FORETASK_CLANG;

// As many tasks as its argument says. Each sleeps 10 ms for each thread of the team, as if these shared a resource.
const char* const kProgram = R"(#include <omp.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int count = argc > 1 ? atoi(argv[1]) : 10;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; ++i) {
#pragma omp task
    usleep(10000 * omp_get_num_threads());
  }
  return 0;
})";

void record(const Scratch& scratch, const std::string& folder, const std::string& count, const std::string& threads) {
  const Outcome recorded = foretask(scratch, {"record", "--out", folder, "--param", "n=" + count, "--", "./app", count},
                                    "export OMP_NUM_THREADS=" + threads + ";");
  INFO(recorded.err);
  REQUIRE(recorded.exit_code == 0);
}

json differences(const Scratch& scratch, std::vector<std::string> words) {
  words.insert(words.begin(), "diff");
  words.emplace_back("--json");
  const Outcome outcome = foretask(scratch, words);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return json::parse(outcome.out);
}

// Of the kernel with so many tasks before.
json kernel_of(const json& difference, double count) {
  for (const json& kernel : difference.at("kernels"))
    if (kernel.at("count").at("before") == count) return kernel;
  FAIL("no kernel ran so often");
  return {};
}

}  // namespace

TEST_CASE("two recordings with other parameters are compared, and the parameter is said first") {
  const Scratch scratch;
  if (kClang.empty() || !compile(scratch, kClang, "app", kProgram, {"-fopenmp"})) FORETASK_SKIP("no Clang with OpenMP");
  record(scratch, "before", "20", "2");
  record(scratch, "after", "40", "2");
  const json difference = differences(scratch, {"before", "after"});
  CHECK(difference.at("comparison") == "before_after");
  const json kernel = kernel_of(difference, 20);
  CHECK(kernel.at("count").at("after") == 40);
  CHECK(kernel.at("before") == kernel.at("after"));
  CHECK(kernel.at("work_ns").at("ratio").get<double>() == Approx(2).epsilon(0.2));
  CHECK(kernel.at("work_ns").at("low").is_null());
  bool has_parameter = false;
  for (const json& one : difference.at("differs")) has_parameter = has_parameter || one.at("what") == "parameter n";
  CHECK(has_parameter);
  const Outcome text = foretask(scratch, {"diff", "before", "after"});
  CHECK_THAT(text.out, ContainsSubstring("Before and after: app"));
  CHECK_THAT(text.out, ContainsSubstring("parameter n (20, then 40)"));
  CHECK_THAT(text.out, ContainsSubstring("No evidence: one run of each."));
  // The other one is no replicate of it.
  const Outcome mixed = foretask(scratch, {"diff", "before", "after", "--runs1", "after"});
  CHECK(mixed.exit_code == 1);
  CHECK_THAT(mixed.err, ContainsSubstring("is no replicate of before"));
  const Outcome page = foretask(scratch, {"diff", "before", "after", "--html", "page.html", "--anonymous"});
  CHECK(page.exit_code == 0);
  CHECK(page.out.empty());
  CHECK_THAT(contents(scratch / "page.html"),
             ContainsSubstring("Before and after: app") && !ContainsSubstring("./app"));
}

TEST_CASE("one thread against two: the work that grew, with an interval of replicates") {
  const Scratch scratch;
  if (kClang.empty() || !compile(scratch, kClang, "app", kProgram, {"-fopenmp"})) FORETASK_SKIP("no Clang with OpenMP");
  fs::create_directory(scratch / "one");
  for (const char* const number : {"1", "2", "3"}) {
    record(scratch, std::string("one/") + number, "10", "1");
    record(scratch, std::string("two") + number, "10", "2");
  }
  // A folder of replicates, and replicates by name.
  const json difference = differences(scratch, {"one", "two1", "--runs2", "two2,two3"});
  CHECK(difference.at("comparison") == "workers");
  CHECK(difference.at("before").at("runs").size() == 3);
  CHECK(difference.at("after").at("runs").size() == 3);
  CHECK(difference.at("may_be_other_work") == false);
  // A sleep takes some 0.1 ms more than asked for.
  const json work = kernel_of(difference, 10).at("work_ns");
  CHECK(work.at("ratio").get<double>() == Approx(1.95).margin(0.15));
  CHECK(work.at("low").get<double>() <= work.at("ratio").get<double>());
  CHECK(work.at("ratio").get<double>() <= work.at("high").get<double>());
  const Outcome text = foretask(scratch, {"diff", "one", "two1", "--runs2", "two2,two3"});
  CHECK_THAT(text.out, ContainsSubstring("One program on 1 worker and on 2: app"));
  CHECK_THAT(text.out, ContainsSubstring("3 runs of each: with 95 % confidence the time on 2 workers is between"));
}
