// SPDX-License-Identifier: Apache-2.0
#include "predict/published/published_models.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "unit/predict/program/program_tables.hpp"

using namespace foretask::predict;
using namespace program_test;

namespace {

// Every column there is, from the parts of a run.
void complete(std::vector<ProgramRun>& runs) {
  for (ProgramRun& run : runs) {
    run.serial_work = run.work = 0.9 * run.p * run.time;
    run.delay = run.no_work = 0.05 * run.p * run.time;
    run.create_task = run.n;
    run.wait_tasks = run.n / 2;
    run.span = run.time / 2;
  }
}

std::vector<ProgramRun> whole_table(const std::vector<double>& sizes, const std::vector<double>& workers) {
  auto runs = made_runs(sizes, workers, [](double n, double p) { return 10 + n * n / p; });
  complete(runs);
  return runs;
}

}  // namespace

TEST_CASE("the published models have the names that the command line takes") {
  std::vector<std::string> names;
  for (const ProgramForm& form : published_models()) names.emplace_back(form.name);
  CHECK(names == std::vector<std::string>{"two-step", "two-step-nlogn", "one-step-lasso", "log-log",
                                          "log-log-quadratic", "piecewise", "extra-p", "work-span"});
}

TEST_CASE("every published model refuses a table that does not tell it, in words") {
  const std::vector<double> five{1, 2, 3, 4, 5};
  for (const ProgramForm& form : published_models()) {
    INFO(form.name);
    REQUIRE(form.fit(whole_table({10, 20, 30, 40, 50, 60}, five)));
    std::vector<std::vector<ProgramRun>> untold{
        {}, whole_table({10}, {1}), whole_table({10}, five), whole_table({10, 20, 30, 40, 50}, {1})};
    for (int kind = 0; kind < 4; ++kind) {
      auto runs = whole_table({10, 20, 30, 40, 50, 60}, five);
      if (kind == 0) runs[7].time = 0;
      if (kind == 1) runs[7].n = 0;
      if (kind == 2) runs[7].time = std::nan("");
      if (kind == 3) runs[7].p = 0;
      untold.push_back(runs);
    }
    for (const auto& runs : untold) {
      const auto model = form.fit(runs);
      REQUIRE_FALSE(model);
      CHECK(model.error().message().size() > 10);
    }
  }
}

TEST_CASE("a published model says a time above 0 or none, whatever table it was fitted to") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> part(0, 1);
  std::size_t fitted = 0;
  for (int round = 0; round < 60; ++round) {
    auto runs = whole_table({1, 2, 3, 5, 8, 13, 21}, {1, 2, 3, 4, 6});
    for (ProgramRun& run : runs) {
      run.time = std::exp(4 * part(random));  // no pattern at all
      if (round % 3 == 0) run.delay = run.no_work = run.create_task = run.wait_tasks = 0;
      if (round % 3 == 1) run.work = run.serial_work * part(random);
      if (round % 5 == 0) run.time = 1;
      if (round % 7 == 0) run.n *= 1e-3;
    }
    for (const ProgramForm& form : published_models()) {
      INFO(form.name << " in round " << round);
      const auto model = form.fit(runs);
      REQUIRE(model);
      ++fitted;
      CHECK_FALSE((*model)->formula().empty());
      for (const double n : {1e-6, 0.5, 1.0, 2.0, 2.8, 100.0, 1e9})
        for (const double p : {1.0, 2.0, 64.0, 1e6}) {
          const ProgramParts parts = (*model)->at(n, p);
          if (!std::isnan(parts.time)) CHECK((parts.time > 0 && std::isfinite(parts.time)));
          if (!std::isnan(parts.work) && !std::isnan(parts.no_work) && !std::isnan(parts.time))
            CHECK(parts.work + parts.delay + parts.no_work == Approx(p * parts.time));
        }
    }
  }
  CHECK(fitted == 60 * 8);
}

TEST_CASE("the order of the runs changes no published model") {
  auto runs = golden_runs("train_fft");
  std::vector<double> before;
  for (const ProgramForm& form : published_models()) before.push_back((*form.fit(runs))->at(1 << 28, 33).time);
  std::mt19937 random(5);
  std::shuffle(runs.begin(), runs.end(), random);
  std::size_t i = 0;
  for (const ProgramForm& form : published_models()) CHECK((*form.fit(runs))->at(1 << 28, 33).time == before[i++]);
}
