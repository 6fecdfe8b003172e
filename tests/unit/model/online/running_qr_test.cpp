// SPDX-License-Identifier: Apache-2.0
#include "model/online/running_qr.hpp"

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "unit/model/fit/fit_data.hpp"

using namespace foretask::model;
using fit_test::Random;
using Row = std::vector<double>;

namespace {

RunningQr fed(const std::vector<Row>& rows, const std::vector<double>& targets, const Row& scales = {},
              double target_scale = 1) {
  RunningQr qr(rows.front().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row row = rows[i];
    for (std::size_t j = 0; j < scales.size(); ++j) row[j] *= scales[j];
    qr.add(row, targets[i] * target_scale, 1);
  }
  return qr;
}

double leverage(const RunningQr& qr, const Row& row) {
  const auto whitening = qr.whitening();
  double sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    double z = 0;
    for (std::size_t j = 0; j < row.size(); ++j) z += whitening[i][j] * row[j];
    sum += z * z;
  }
  return sum;
}

// Five points, by hand: slope 0.6, constant 2.2.
const std::vector<Row> kLine{{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}};
const std::vector<double> kTimes{2, 4, 5, 4, 5};

}  // namespace

TEST_CASE("rows one at a time give the line found by hand, and its leverages") {
  const RunningQr qr = fed(kLine, kTimes);
  const auto solution = qr.solve();
  CHECK(solution.coefficients[0] == Approx(2.2).epsilon(1e-13));
  CHECK(solution.coefficients[1] == Approx(0.6).epsilon(1e-13));
  CHECK(solution.rank == 2);
  CHECK_FALSE(solution.deficient);
  CHECK(qr.rows() == 5);
  CHECK(leverage(qr, {1, 1}) == Approx(0.6).epsilon(1e-13));  // 1/5 + 4/10
  CHECK(leverage(qr, {1, 3}) == Approx(0.2).epsilon(1e-13));
  CHECK(leverage(qr, {1, 13}) == Approx(0.2 + 10).epsilon(1e-13));
}

TEST_CASE("4,987 rows give R's coefficients and largest leverage") {
  std::ifstream file(fit_test::kModels + "regression_R.json");
  const auto golden = nlohmann::json::parse(file);
  for (const auto& [name, columns] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"d1_true", {"TreeLevel", "NbCells", "NbInteractions"}},
           {"d1_all_linear", {"TreeLevel", "NbCells", "IntervalSize", "NbInteractions", "ThreadId", "Padding"}}}) {
    CAPTURE(name);
    const auto& expected = golden.at(name);
    const auto table = fit_test::golden("m2l.csv");
    REQUIRE(table.rows() == 4987);
    RunningQr qr(columns.size() + 1);
    std::vector<Row> rows(table.rows(), Row{1});
    for (const auto& column : columns)
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back((*table.column(column))[i]);
    for (std::size_t i = 0; i < rows.size(); ++i) qr.add(rows[i], (*table.column("T"))[i], 1);
    const auto solution = qr.solve();
    for (std::size_t j = 0; j <= columns.size(); ++j)
      CHECK(solution.coefficients[j] == Approx(expected.at("coef")[j].get<double>()).epsilon(1e-8));
    double most = 0;
    for (const Row& row : rows) most = std::max(most, leverage(qr, row));
    CHECK(most == Approx(expected.at("max_leverage").get<double>()).epsilon(1e-8));
  }
}

TEST_CASE("a row of weight 1/4 counts a quarter") {
  RunningQr qr(1);
  qr.add(Row{1}, 1, 1);
  qr.add(Row{1}, 6, 0.25);
  CHECK(qr.solve().coefficients[0] == Approx(2).epsilon(1e-14));
  CHECK(leverage(qr, {1}) == Approx(1 / 1.25).epsilon(1e-14));
}

TEST_CASE("forgotten rows count less, from then on and however often") {
  RunningQr qr(1);
  qr.add(Row{1}, 1, 1);
  qr.add(Row{1}, 1, 1);
  qr.forget(0.5);
  qr.add(Row{1}, 4, 1);
  CHECK(qr.solve().coefficients[0] == Approx(2.5).epsilon(1e-14));  // (0.5 + 0.5 + 4) / 2
  CHECK(qr.rows() == 2);
  CHECK(leverage(qr, {1}) == Approx(0.5).epsilon(1e-13));
  // Far enough for what is kept to be scaled back many times.
  for (int i = 0; i < 3000; ++i) {
    qr.forget(0.5);
    qr.add(Row{1}, 7, 1);
  }
  CHECK(qr.solve().coefficients[0] == Approx(7).epsilon(1e-12));
  CHECK(qr.rows() == Approx(2));
  CHECK(leverage(qr, {1}) == Approx(0.5).epsilon(1e-12));
}

TEST_CASE("targets that were twice as large have coefficients twice as large") {
  RunningQr qr = fed(kLine, kTimes);
  qr.scale_target(2);
  CHECK(qr.solve().coefficients[0] == Approx(4.4));
  CHECK(qr.solve().coefficients[1] == Approx(1.2));
}

TEST_CASE("columns from 1e-9 to 1e18 give the fit that plain ones do") {
  Random random(1);
  std::vector<Row> rows;
  std::vector<double> targets;
  for (int i = 0; i < 60; ++i) {
    rows.push_back({1, random.uniform(1, 2), random.uniform(1, 2), random.uniform(1, 2)});
    targets.push_back(1 + 2 * rows.back()[1] - 3 * rows.back()[2] + 4 * rows.back()[3]);
  }
  const Row scales{1, 1e-9, 1e18, 1e-30};
  for (const double target_scale : {1e-60, 1.0, 1e60}) {
    const RunningQr qr = fed(rows, targets, scales, target_scale);
    const auto solution = qr.solve();
    CHECK_FALSE(solution.deficient);
    const double truth[] = {1, 2, -3, 4};
    for (std::size_t j = 0; j < 4; ++j)
      CHECK(solution.coefficients[j] * scales[j] / target_scale == Approx(truth[j]).epsilon(1e-10));
  }
}

TEST_CASE("columns that depend on earlier ones are left out, and the rest predicts as well") {
  Random random(2);
  RunningQr qr(5);
  std::vector<Row> rows;
  for (int i = 0; i < 50; ++i) {
    const double a = random.uniform(1, 9);
    const double b = random.uniform(1, 9);
    rows.push_back({1, a, 2 * a + 1, b, a - b});
    qr.add(rows.back(), 3 + 5 * a - 2 * b, 1);
  }
  const auto solution = qr.solve();
  CHECK(solution.deficient);
  CHECK(solution.rank == 3);
  CHECK(solution.coefficients[2] == 0);
  CHECK(solution.coefficients[4] == 0);
  CHECK(solution.coefficients[1] == Approx(5).epsilon(1e-10));
  CHECK(solution.coefficients[3] == Approx(-2).epsilon(1e-10));
  double sum = 0;
  for (const Row& row : rows) sum += leverage(qr, row);
  CHECK(sum == Approx(3).epsilon(1e-10));  // the trace of a projection is its rank
}

TEST_CASE("parameters equal up to 1e-7 are one, those that differ by 1e-4 are two") {
  for (const auto& [difference, deficient] : {std::pair{1e-7, true}, {1e-4, false}}) {
    CAPTURE(difference);
    Random random(3);
    RunningQr qr(3);
    for (int i = 0; i < 200; ++i) {
      const double a = random.uniform(100, 1000);
      qr.add(Row{1, a, a * (1 + difference * random.uniform(-1, 1))}, 10 + 2 * a, 1);
    }
    const auto solution = qr.solve();
    CHECK(solution.deficient == deficient);
    // Whichever carries it: together they are 2 a time.
    CHECK(solution.coefficients[1] + solution.coefficients[2] == Approx(2).epsilon(1e-6));
    CHECK(std::abs(solution.coefficients[1]) < 10);
  }
}

TEST_CASE("a column of zeros and fewer rows than columns are deficient, not wrong") {
  RunningQr qr(3);
  CHECK(qr.solve().rank == 0);
  qr.add(Row{1, 0, 4}, 8, 1);
  const auto solution = qr.solve();
  CHECK(solution.rank == 1);
  CHECK(solution.deficient);
  CHECK(solution.coefficients[0] == 8);
  CHECK(solution.coefficients[1] == 0);
  CHECK(solution.coefficients[2] == 0);
}

TEST_CASE("a row whose squares are no numbers is left out as a whole") {
  RunningQr qr = fed(kLine, kTimes);
  const double largest = std::numeric_limits<double>::max();
  qr.add(Row{1e200, 1}, 1, 1);
  qr.add(Row{1, 1e200}, 1, 1);
  qr.add(Row{1, 1}, largest, 1);
  qr.add(Row{largest, largest}, largest, 1);
  CHECK(qr.rows() == 5);
  CHECK(qr.solve().coefficients[0] == Approx(2.2).epsilon(1e-13));
  CHECK(qr.solve().coefficients[1] == Approx(0.6).epsilon(1e-13));
}

TEST_CASE("a restored triangle solves and goes on as the first did") {
  RunningQr first = fed(kLine, kTimes);
  first.forget(0.25);
  RunningQr second(2);
  second.restore(first.triangle(), first.rows());
  for (RunningQr* const qr : {&first, &second}) qr->add(Row{1, 6}, 9, 0.5);
  CHECK(second.rows() == first.rows());
  for (std::size_t j = 0; j < 2; ++j)
    CHECK(second.solve().coefficients[j] == Approx(first.solve().coefficients[j]).epsilon(1e-14));
  CHECK(leverage(second, {1, 2}) == Approx(leverage(first, {1, 2})).epsilon(1e-13));
}
