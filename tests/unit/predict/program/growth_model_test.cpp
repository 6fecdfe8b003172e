// SPDX-License-Identifier: Apache-2.0
#include "predict/program/growth_model.hpp"

#include <cmath>

#include "catch.hpp"
#include "unit/predict/program/program_tables.hpp"

namespace foretask::predict {
namespace {

using program_test::errors;
using program_test::golden_runs;
using program_test::median;

TEST_CASE("growth holds for other sizes and 30 to 36 workers: fft, sort, sparselu") {
  struct Wanted {
    const char* name;
    double error;  // median, of the whole time
  };
  for (const Wanted& wanted : {Wanted{"fft", 0.05}, Wanted{"sort", 0.05}, Wanted{"sparselu", 0.02}}) {
    INFO(wanted.name);
    const auto model = fit_growth_model(golden_runs(std::string("train_") + wanted.name));
    REQUIRE(model);
    CHECK(median(errors(**model, golden_runs(std::string("test_") + wanted.name))) < wanted.error);
  }
}

TEST_CASE("growth is exact where every printed formula is") {
  const auto model = fit_growth_model(golden_runs("train_infamily_noise0"));
  REQUIRE(model);
  const auto test = golden_runs("test_infamily_noise0");
  CHECK(errors(**model, test).back() < 1e-6);
  CHECK(errors(**model, test, &ProgramParts::work, &analysis::ProgramRun::work).back() < 1e-6);
  CHECK(errors(**model, test, &ProgramParts::delay, &analysis::ProgramRun::delay).back() < 1e-6);
}

// A merge sort with serial merges of n blocks, n a power of 2, on p workers, p a power of 2 up to n: at level k, 2^k
// merges of n / 2^k each. Work n log2(n) + n for the leaves; span 2 n - 1.
analysis::ProgramRun merge_sort(double n, double p) {
  analysis::ProgramRun run;
  run.n = n;
  run.p = p;
  run.create_task = 2 * n - 2;
  run.wait_tasks = n - 1;
  run.work = run.serial_work = n * std::log2(n) + n;
  run.span = 2 * n - 1;
  double time = n / p;  // leaves
  for (double k = 0; k < std::log2(n); ++k) time += n / std::min(std::exp2(k), p);
  run.time = time;
  run.no_work = p * time - run.work;
  return run;
}

TEST_CASE("a program whose span grows as its input is held by it on many workers") {
  std::vector<analysis::ProgramRun> runs;
  for (double n = 64; n <= 4096; n *= 2)
    for (const double p : {1, 2, 4, 8}) runs.push_back(merge_sort(n, p));
  const auto model = fit_growth_model(runs);
  REQUIRE(model);
  for (const double p : {16, 32, 64}) {
    const auto wanted = merge_sort(65536, p);
    const auto found = (*model)->at(65536, p);
    INFO("p = " << p);
    CHECK(found.time == Approx(wanted.time).epsilon(0.1));
    CHECK(found.time >= wanted.span * 0.999);
    CHECK(found.work + found.delay + found.no_work == Approx(p * found.time));
  }
}

// Iteration i of n costs i, and each of p threads gets a block of n / p: the last block is n^2 (2 / p - 1 / p^2) / 2.
analysis::ProgramRun triangle(double n, double p) {
  analysis::ProgramRun run;
  run.n = n;
  run.p = p;
  run.work = run.serial_work = n * n / 2;
  run.span = n;
  run.time = run.work * (2 / p - 1 / (p * p));
  run.no_work = p * run.time - run.work;
  return run;
}

TEST_CASE("what a static loop of uneven iterations waits stays its share of the work, and is no bound's") {
  std::vector<analysis::ProgramRun> runs;
  for (const double n : {1000, 2000, 4000, 8000})
    for (const double p : {1, 2}) runs.push_back(triangle(n, p));
  const auto model = fit_growth_model(runs);
  REQUIRE(model);
  for (const double p : {1, 2, 4, 16}) {
    INFO("p = " << p);
    const auto found = (*model)->at(32000, p);
    CHECK(found.time == Approx(triangle(32000, p).time).epsilon(0.02));
    CHECK(found.time >= found.work / p);
    CHECK(found.work + found.delay + found.no_work == Approx(p * found.time));
  }
}

TEST_CASE("kernels that grow by different laws are told apart") {
  std::vector<analysis::ProgramRun> runs;
  const auto run_of = [](double n) {
    analysis::ProgramRun run;
    run.n = n;
    run.p = 1;
    run.kernels = {{"gemm", n * n, 0.5 * n * n * n, 0, ""}, {"setup", 1, 4000 * n * std::sqrt(n), 0, ""}};
    run.work = run.serial_work = run.time = run.kernels[0].work + run.kernels[1].work;
    run.span = n;
    run.create_task = n * n;
    return run;
  };
  for (const double n : {40, 50, 60, 80, 100, 120}) runs.push_back(run_of(n));
  const auto model = fit_kernel_model(runs, nullptr);
  REQUIRE(model);
  CHECK((*model)->at(1500, 1).time == Approx(run_of(1500).time).epsilon(0.01));
  CHECK_THAT((*model)->formula(), Catch::Matchers::ContainsSubstring("gemm: 0.5 n^3"));

  for (auto& run : runs) run.kernels.clear();
  CHECK_FALSE(fit_kernel_model(runs, nullptr));
}

// 8 tasks of 100, one after the other on one worker; on two each is 120 long and 30 late.
analysis::ProgramRun late_tasks(double n, double p) {
  analysis::ProgramRun run;
  run.n = n;
  run.p = p;
  run.create_task = 8 * n;
  run.work = 8 * n * (p > 1 ? 120 : 100);
  run.serial_work = 800 * n;
  run.span = 10;
  run.delay = p > 1 ? 8 * n * 30 : 0;
  run.time = (run.work + run.delay) / p;
  return run;
}

TEST_CASE("one number of workers above one does not tell how work and delay go on growing") {
  std::vector<analysis::ProgramRun> runs;
  for (const double n : {100, 200, 400, 800})
    for (const double p : {1, 2}) runs.push_back(late_tasks(n, p));
  const auto model = fit_growth_model(runs);
  REQUIRE(model);
  for (const double p : {2, 16, 64}) {
    INFO(p);
    const ProgramParts parts = (*model)->at(1600, p);
    CHECK(parts.work == Approx(1600 * 8 * 120).epsilon(0.02));
    CHECK(parts.delay == Approx(1600 * 8 * 30).epsilon(0.02));
  }
  // So much the wider is the interval.
  CHECK((*model)->at(1600, 16).log_sd > 3 * (*model)->at(1600, 2).log_sd);
}

// Blocks of 100 in tasks of their own, each 1000 long and 50 late; none below two blocks.
analysis::ProgramRun blocks(double n, double p) {
  analysis::ProgramRun run;
  run.n = n;
  run.p = p;
  run.create_task = n < 200 ? 0 : n / 100;
  run.wait_tasks = run.create_task > 0 ? 1 : 0;
  run.work = run.serial_work = 10 * n;
  run.delay = p > 1 ? 50 * run.create_task * (p - 1) : 0;
  run.time = (run.work + run.delay) / p;
  return run;
}

TEST_CASE("a size below the program's cut-off does not take the delay of the others away") {
  std::vector<analysis::ProgramRun> runs;
  for (double n = 100; n <= 12800; n *= 2)
    for (const double p : {1, 2, 4, 8}) runs.push_back(blocks(n, p));
  const auto model = fit_growth_model(runs);
  REQUIRE(model);
  const ProgramParts parts = (*model)->at(25600, 8);
  CHECK(parts.delay == Approx(blocks(25600, 8).delay).epsilon(0.05));
  CHECK(parts.time == Approx(blocks(25600, 8).time).epsilon(0.02));
}

TEST_CASE("T1' of a program without tasks tells nothing of the work with them") {
  std::vector<analysis::ProgramRun> runs;
  for (double n = 200; n <= 12800; n *= 2)
    for (const double p : {1, 2, 4, 8}) {
      runs.push_back(blocks(n, p));
      runs.back().serial_work *= 0.8;
    }
  const auto model = fit_growth_model(runs);
  REQUIRE(model);
  const ProgramParts parts = (*model)->at(25600, 8);
  CHECK(parts.work == Approx(256000).epsilon(0.01));
  CHECK(parts.serial_work == Approx(0.8 * 256000).epsilon(0.01));
}

}  // namespace
}  // namespace foretask::predict
