// SPDX-License-Identifier: Apache-2.0
// simulate --with: what kernels take on other numbers of threads comes from recordings on those.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

const std::string kClang = FORETASK_CLANG;

// 40 tasks that sleep 10 ms for each thread of the team, as if these shared a resource.
const char* const kProgram = R"(#include <omp.h>
#include <unistd.h>
int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 40; ++i) {
#pragma omp task
    usleep(10000 * omp_get_num_threads());
  }
  return 0;
})";

json simulated(const Scratch& scratch, const std::vector<std::string>& more) {
  std::vector<std::string> words{"simulate", "run1", "--cores", "1,2,4", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = foretask(scratch, words);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("tasks that take longer on two threads do so in a replay with a recording on two") {
  const Scratch scratch;
  if (kClang.empty() || !compile(scratch, kClang, "app", kProgram, {"-fopenmp"})) FORETASK_SKIP("no Clang with OpenMP");
  for (const char* const threads : {"1", "2"}) {
    const Outcome recorded = foretask(scratch, {"record", "--out", std::string("run") + threads, "--", "./app"},
                                      std::string("export OMP_NUM_THREADS=") + threads + ";");
    REQUIRE(recorded.exit_code == 0);
  }
  const json alone = simulated(scratch, {});
  const json with = simulated(scratch, {"--with", "run2"});
  const auto time_of = [](const json& answer, std::size_t row) {
    return answer.at("runs").at(row).at("makespan_ns").get<double>();
  };
  CHECK_FALSE(alone.contains("inflated"));
  // A sleep takes some 0.1 ms more than asked for.
  double factor = 0;
  for (const json& row : with.at("inflated"))
    if (row.at("workers") == 2) factor = std::max(factor, row.at("factor").get<double>());
  CHECK(factor == Approx(1.95).margin(0.1));
  CHECK(time_of(with, 0) == Approx(time_of(alone, 0)));
  CHECK(time_of(with, 1) / time_of(alone, 1) == Approx(factor).epsilon(0.15));
  CHECK(time_of(with, 2) / time_of(alone, 2) == Approx(factor).epsilon(0.15));
  CHECK(with.at("work_ns") == alone.at("work_ns"));
  const std::string text = foretask(scratch, {"simulate", "run1", "--cores", "1,4", "--with", "run2"}).out;
  CHECK_THAT(text, ContainsSubstring("times as long on 2 workers") &&
                       ContainsSubstring("Beyond 2 workers the work is not known"));
}
