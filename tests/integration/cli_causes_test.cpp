// SPDX-License-Identifier: Apache-2.0
// record --threads and report: a program on several numbers of threads, and why it is not so many times as fast.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

const std::string kClang = FORETASK_CLANG;

// Eight iterations of 4 ms on a core for each thread of the team, as if these shared a resource. Prints its argument.
const char* const kProgram = R"(#include <omp.h>
#include <stdio.h>
#include <time.h>
static double on_core(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * now.tv_sec + 1e-6 * now.tv_nsec;
}
int main(int argc, char** argv) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 8; ++i)
    for (double begin = on_core(); on_core() - begin < 4 * omp_get_num_threads();) {
    }
  printf("%s\n", argc > 1 ? argv[1] : "none");
  return 0;
})";

// Lines are broken anywhere.
std::string unwrapped(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

TEST_CASE("a program is recorded on each number of threads, and the report says what is slower on more") {
  const Scratch scratch;
  if (kClang.empty() || !compile(scratch, kClang, "app", kProgram, {"-fopenmp"})) FORETASK_SKIP("no Clang with OpenMP");
  const Outcome recorded = foretask(scratch, {"record", "--threads", "1,2", "--out", "runs", "--", "./app", "of={p}"});
  INFO(recorded.out << recorded.err);
  REQUIRE(recorded.exit_code == 0);
  CHECK(recorded.out == "of=1\nof=2\n");
  CHECK_THAT(recorded.err, ContainsSubstring("foretask report ") && ContainsSubstring("runs"));
  const Outcome outcome = foretask(scratch, {"report", "runs", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const json report = json::parse(outcome.out);
  CHECK(report.at("workers") == 2);
  CHECK(report.at("base").at("workers") == 1);
  CHECK(report.at("warnings").empty());
  const json& causes = report.at("causes");
  const auto slower =
      std::find_if(causes.begin(), causes.end(), [](const json& cause) { return cause.at("name") == "slower_work"; });
  REQUIRE(slower != causes.end());
  // 64 ms on cores instead of 32, by the program's own clock; busy cores blur what was waited for them.
  CHECK(std::abs(slower->at("lost_ns").get<double>() - 32e6) < 16e6);
  std::int64_t sum = report.at("useful_ns").get<std::int64_t>();
  for (const json& cause : causes) sum += cause.at("lost_ns").get<std::int64_t>();
  CHECK(sum == 2 * report.at("wall_ns").get<std::int64_t>());
  const json& efficiencies = report.at("efficiencies");
  REQUIRE(efficiencies.size() == 2);
  CHECK(std::abs(efficiencies[1].at("computation_scaling").get<double>() - 0.5) < 0.25);
  CHECK_THAT(unwrapped(foretask(scratch, {"report", "runs"}).out),
             ContainsSubstring("times as fast as on 1") && ContainsSubstring("computation scaling"));
  // By hand it is the same.
  const Outcome by_hand = foretask(scratch, {"report", "runs/p=2", "--base", "runs/p=1", "--json"});
  CHECK(json::parse(by_hand.out).at("causes") == causes);
}

// 40 ms on a core, what is of interest: 60 ms in two threads, and 40 ms more.
const char* const kInterest = R"(#include <dlfcn.h>
#include <time.h>
static void work(double ms) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  const double end = 1e3 * now.tv_sec + 1e-6 * now.tv_nsec + ms;
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while (1e3 * now.tv_sec + 1e-6 * now.tv_nsec < end);
}
static void call(const char* name) {
  void (*function)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, name);
  if (function) function();
}
int main(void) {
  work(40);
  call("foretask_begin_interest");
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 6; ++i) work(10);
  call("foretask_end_interest");
  work(40);
  return 0;
})";

TEST_CASE("only what a program says is of interest is in its report and in replays") {
  for (const std::string& compiler : {std::string(FORETASK_CLANG), std::string(FORETASK_GCC)}) {
    const Scratch scratch;
    if (compiler.empty() || !compile(scratch, compiler, "app", kInterest, {"-fopenmp", "-ldl"})) continue;
    const Outcome recorded = foretask(scratch, {"record", "--out", "run", "--", "./app"}, "export OMP_NUM_THREADS=2;");
    INFO(compiler << recorded.err);
    REQUIRE(recorded.exit_code == 0);
    const json report = json::parse(foretask(scratch, {"report", "run", "--json"}).out);
    // 60 ms on cores, and 80 before and after; a thread may wait for a core for longer.
    CHECK(report.at("work_ns").get<double>() > 59e6);
    CHECK(report.at("work_ns").get<double>() < 66e6);
    CHECK(report.at("not_of_interest_ns").get<double>() > 79e6);
    CHECK(report.at("span_ns").get<double>() < 45e6);
    const json replays = json::parse(foretask(scratch, {"simulate", "run", "--cores", "1", "--json"}).out);
    CHECK(replays.at("runs")[0].at("makespan_ns").get<double>() < 70e6);
    CHECK_THAT(unwrapped(foretask(scratch, {"report", "run"}).out), ContainsSubstring("in what is of interest"));
  }
}

TEST_CASE("record --threads refuses what is no list, and a folder that is there") {
  const Scratch scratch;
  CHECK(foretask(scratch, {"record", "--threads", "1,x", "--", "true"}).exit_code == 2);
  fs::create_directory(scratch / "there");
  CHECK(foretask(scratch, {"record", "--threads", "1,2", "--out", "there", "--", "true"}).exit_code == 1);
  CHECK(foretask(scratch, {"report", "there"}).exit_code == 1);
}
