// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/program_model.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "unit/predict/program/program_tables.hpp"

namespace foretask::analysis {
namespace {

using Catch::Matchers::ContainsSubstring;
using program_test::golden_runs;

ProgramTable golden_table(const std::string& name) {
  ProgramTable table;
  table.runs = golden_runs(name);
  return table;
}

// Of a golden table as it is. Fitted once in a process: under the sanitizers a fit takes a minute.
const Result<ProgramModel>& golden_model(std::string_view name) {
  static std::map<std::string, Result<ProgramModel>> models;
  const std::string key(name);
  const auto found = models.find(key);
  return found != models.end() ? found->second
                               : models.emplace(key, ProgramModel::fit(golden_table(key))).first->second;
}

TEST_CASE("nine in ten measured times lie within the intervals") {
  // The share is decided without a sanitizer, under which a fit takes a minute.
#ifdef FORETASK_HAS_SANITIZER
  const std::vector<std::string> names{"fft"};
#else
  const std::vector<std::string> names{"fft", "sort", "sparselu"};
#endif
  std::size_t inside = 0, all = 0;
  for (const std::string& name : names) {
    const auto& model = golden_model("train_" + name);
    REQUIRE(model);
    CHECK(model->chosen() == "growth");
    for (const ProgramRun& run : golden_runs("test_" + name)) {
      const auto row = model->predict(run.n, run.p);
      REQUIRE(row);
      CHECK(row->low < row->time);
      CHECK(row->time < row->high);
      CHECK(row->lower_bound <= row->upper_bound);
      inside += run.time >= row->low && run.time <= row->high ? 1 : 0;
      ++all;
    }
  }
  CHECK(static_cast<double>(inside) >= 0.85 * static_cast<double>(all));
}

TEST_CASE("a recorded n and p is answered by the median of its runs, and no answer is below its own bound") {
  ProgramTable table = golden_table("train_fft");
  const std::vector<ProgramRun> once = table.runs;
  // Twice more, once disturbed by a fifth: the middle one is the slower of the others.
  for (ProgramRun run : once) {
    for (double* part : {&run.time, &run.work, &run.delay, &run.no_work}) *part *= 1.01;
    table.runs.push_back(run);
    for (double* part : {&run.time, &run.work, &run.delay, &run.no_work}) *part *= 1.2;
    table.runs.push_back(run);
  }
  const auto model = ProgramModel::fit(table);
  REQUIRE(model);
  for (const ProgramRun& run : once) {
    const auto row = model->predict(run.n, run.p);
    REQUIRE(row);
    CHECK(row->time == Approx(1.01 * run.time).epsilon(1e-9));
    CHECK(row->lower_bound <= row->time);
    CHECK(std::max(row->work / run.p, row->span) <= row->time * (1 + 1e-9));
    CHECK(row->work + row->delay + row->no_work == Approx(run.p * row->time));
  }
}

TEST_CASE("every model is judged, the best ones first, and a published one only if it is asked for") {
  const ProgramTable table = golden_table("train_sparselu");
  const auto& model = golden_model("train_sparselu");
  REQUIRE(model);
  double last = 0;
  for (const ProgramModelScore& score : model->scores()) {
    if (std::isnan(score.holdout_error)) continue;
    CHECK(score.holdout_error >= last);
    last = score.holdout_error;
  }
  CHECK(model->scores().size() == 2);
  const auto paper = ProgramModel::fit(table, {.model = "two-step", .progress = {}});
  REQUIRE(paper);
  CHECK(paper->chosen() == "two-step");
  CHECK(paper->scores().size() == 3);
  CHECK(paper->predict(400, 32)->time != model->predict(400, 32)->time);
  const auto unknown = ProgramModel::fit(table, {.model = "oracle", .progress = {}});
  REQUIRE_FALSE(unknown);
  CHECK_THAT(unknown.error().message(), ContainsSubstring("there is no model 'oracle'; there are growth, "));
}

TEST_CASE("the interval widens with the distance") {
  const auto& model = golden_model("train_sort");
  REQUIRE(model);
  const auto width = [&](double n, double p) {
    const auto row = model->predict(n, p);
    return row->high / row->low;
  };
  CHECK(width(1e8, 8) < width(4e9, 8));
  CHECK(width(4e9, 8) < width(6e10, 8));
  CHECK(width(1e8, 8) < width(1e8, 200));
}

TEST_CASE("what the runs do not tell is refused or said") {
  ProgramTable one_size = golden_table("train_sparselu");
  std::erase_if(one_size.runs, [](const ProgramRun& run) { return run.n != 100; });
  const auto fixed = ProgramModel::fit(one_size);
  REQUIRE(fixed);
  CHECK(fixed->predict(100, 16));
  const auto other = fixed->predict(200, 16);
  REQUIRE_FALSE(other);
  CHECK_THAT(other.error().message(), ContainsSubstring("all runs have n = 100"));
  CHECK_THAT(fixed->warnings({{100, 16}}).at(0), ContainsSubstring("all runs have n = 100"));

  ProgramTable one_worker = golden_table("train_sparselu");
  std::erase_if(one_worker.runs, [](const ProgramRun& run) { return run.p != 1; });
  const auto serial = ProgramModel::fit(one_worker);
  REQUIRE(serial);
  CHECK_THAT(serial->warnings({{100, 16}}).at(0), ContainsSubstring("all runs have 1 worker"));
  const auto row = serial->predict(200, 16);
  REQUIRE(row);
  CHECK(row->low <= row->lower_bound);
  CHECK(row->high >= row->upper_bound);

  const auto& model = golden_model("train_sparselu");
  REQUIRE(model);
  for (const double n : {0.0, -1.0}) CHECK_FALSE(model->predict(n, 4));
  for (const double p : {0.0, 0.5, 2.5}) CHECK_FALSE(model->predict(100, p));
  CHECK(model->warnings({{400, 36}}).empty());
  CHECK_THAT(model->warnings({{64 * 201, 8}}).at(0),
             ContainsSubstring("more than 64 times the largest one recorded (200)"));
  CHECK_THAT(model->warnings({{200, 1000}}).at(0), ContainsSubstring("1000 workers are more than 16 times"));
}

}  // namespace
}  // namespace foretask::analysis
