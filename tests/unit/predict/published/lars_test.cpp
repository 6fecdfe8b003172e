// SPDX-License-Identifier: Apache-2.0

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "predict/published/lasso.hpp"

using namespace foretask::predict;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

nlohmann::json golden_paths() {
  std::ifstream file(std::string(FORETASK_TESTS_DIR) + "/golden/program/lars.json");
  return nlohmann::json::parse(file);
}

VectorXd vector_of(const nlohmann::json& numbers) {
  const auto values = numbers.get<std::vector<double>>();
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size()));
}

MatrixXd matrix_of(const nlohmann::json& rows) {
  MatrixXd matrix(static_cast<Index>(rows.size()), static_cast<Index>(rows[0].size()));
  for (std::size_t i = 0; i < rows.size(); ++i) matrix.row(static_cast<Index>(i)) = vector_of(rows[i]);
  return matrix;
}

// Columns and y of length 1, about their means where there is an intercept.
std::pair<MatrixXd, VectorXd> scaled(const nlohmann::json& data) {
  MatrixXd x = matrix_of(data["x"]);
  VectorXd y = vector_of(data["y"]);
  if (data["factor"]) return {x, y};
  if (data["intercept"]) {
    x.rowwise() -= x.colwise().mean().eval();
    y.array() -= y.mean();
  }
  x.colwise().normalize();
  y.normalize();
  return {x, y};
}

// How far a knot is from what makes the lasso's sum least, as a share of the largest alpha: of columns in the model the
// correlation with the residual is alpha with their sign, of the others at most alpha.
double distance_from_least(const MatrixXd& x, const VectorXd& y, const LassoPath& path, std::size_t knot,
                           bool non_negative) {
  const VectorXd& b = path.coefficients[knot];
  const VectorXd correlation = x.transpose() * (y - x * b) / static_cast<double>(x.rows());
  double worst = 0;
  for (Index j = 0; j < b.size(); ++j) {
    const double size = non_negative ? correlation[j] : std::abs(correlation[j]);
    const double sign = b[j] > 0 ? 1 : -1;
    worst = std::max(worst, b[j] != 0 ? std::abs(sign * correlation[j] - path.alphas[knot]) : size - path.alphas[knot]);
    if (non_negative && b[j] < 0) return 1;
  }
  return worst / path.alphas.front();
}

}  // namespace

TEST_CASE("paths by least-angle regression have the knots that scikit-learn finds") {
  const nlohmann::json golden = golden_paths();
  REQUIRE(golden["cases"].size() == 16);
  for (const auto& [name, expected] : golden["cases"].items()) {
    INFO(name);
    const nlohmann::json& data = golden["data"][expected["data"].get<std::string>()];
    const auto [x, y] = scaled(data);
    const LassoPath path = lasso_path(x, y, expected["positive"]);
    // alpha is a mean over the rows that the factor stands for.
    const double rows = static_cast<double>(x.rows()) / data["rows"].get<double>();
    const auto alphas = expected["alphas"].get<std::vector<double>>();
    for (std::size_t i = 0; i < alphas.size(); ++i) {
      const auto nearest = std::min_element(path.alphas.begin(), path.alphas.end(), [&](double a, double b) {
        return std::abs(a * rows - alphas[i]) < std::abs(b * rows - alphas[i]);
      });
      CHECK(std::abs(*nearest * rows - alphas[i]) <= 1e-9 * alphas[0]);
      const VectorXd& found = path.coefficients[static_cast<std::size_t>(nearest - path.alphas.begin())];
      CHECK((found - vector_of(expected["coefficients"][i])).cwiseAbs().maxCoeff() <= 1e-9);
    }
  }
}

TEST_CASE("at alpha = 0 a non-negative path is at the non-negative least-squares answer") {
  const nlohmann::json golden = golden_paths();
  int compared = 0;
  for (const auto& [name, expected] : golden["cases"].items()) {
    if (!expected.contains("nnls")) continue;
    INFO(name);
    const auto [x, y] = scaled(golden["data"][expected["data"].get<std::string>()]);
    const LassoPath path = lasso_path(x, y, true);
    CHECK(path.alphas.back() == 0);
    CHECK((path.coefficients.back() - vector_of(expected["nnls"])).cwiseAbs().maxCoeff() <= 1e-9);
    ++compared;
  }
  CHECK(compared == 8);
}

TEST_CASE("the alpha by cross-validation is scikit-learn's") {
  const nlohmann::json golden = golden_paths();
  int compared = 0;
  for (const auto& [name, expected] : golden["cases"].items()) {
    if (!expected.contains("cross_validated")) continue;
    INFO(name);
    const nlohmann::json& data = golden["data"][expected["data"].get<std::string>()];
    const MatrixXd x = matrix_of(data["x"]);
    const VectorXd y = vector_of(data["y"]);
    const auto fit = cross_validated_lasso(x, y, {.intercept = data["intercept"], .non_negative = false});
    REQUIRE(fit);
    const VectorXd wanted = vector_of(expected["cross_validated"]["coefficients"]);
    for (Index j = 0; j < x.cols(); ++j)
      CHECK(std::abs(fit->coefficients[j] - wanted[j]) * x.col(j).norm() <= 1e-9 * y.norm());
    const double intercept = expected["cross_validated"]["intercept"];
    CHECK(std::abs(fit->intercept - intercept) <= 1e-9 * y.cwiseAbs().maxCoeff());
    ++compared;
  }
  CHECK(compared == 5);
}

TEST_CASE("every knot of a random path is where the lasso's sum is least") {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  double worst = 0;
  std::size_t knots = 0;
  std::size_t drops = 0;
  for (int round = 0; round < 300; ++round) {
    const Index rows = 2 + round % 23;
    const Index columns = 1 + round % 9;
    MatrixXd x(rows, columns);
    VectorXd y(rows);
    for (Index i = 0; i < rows; ++i) {
      y[i] = normal(random);
      // Columns that have much in common: their paths have drops.
      const double common = normal(random);
      for (Index j = 0; j < columns; ++j) x(i, j) = common * (round % 2) + normal(random);
    }
    const bool non_negative = round % 3 == 0;
    const LassoPath path = lasso_path(x, y, non_negative);
    REQUIRE(path.alphas.size() == path.coefficients.size());
    CHECK(path.alphas.back() == 0);
    for (std::size_t i = 0; i < path.alphas.size(); ++i) {
      if (i > 0) CHECK(path.alphas[i] < path.alphas[i - 1]);
      if (path.alphas.front() > 0) worst = std::max(worst, distance_from_least(x, y, path, i, non_negative));
      if (i > 0)
        for (Index j = 0; j < columns; ++j) drops += path.coefficients[i - 1][j] != 0 && path.coefficients[i][j] == 0;
      ++knots;
    }
  }
  CHECK(worst < 1e-10);
  CHECK(knots > 1000);
  CHECK(drops > 20);
}

TEST_CASE("a path of columns that say nothing, or the same, ends with numbers") {
  const VectorXd y = VectorXd::LinSpaced(6, 1, 6);
  MatrixXd x(6, 3);
  x.col(0).setZero();
  x.col(1) = y.reverse();
  x.col(2) = x.col(1);
  for (const bool non_negative : {false, true}) {
    const LassoPath path = lasso_path(x, y, non_negative);
    CHECK(path.alphas.back() == 0);
    for (const VectorXd& b : path.coefficients) CHECK(b.allFinite());
    CHECK(path.coefficients.back()[0] == 0);
    // 1*6 + 2*5 + 3*4 twice = 56 of 1 + 4 + ... + 36 = 91, whichever of the equal columns it stands at.
    CHECK(path.coefficients.back().sum() == Approx(56.0 / 91));
    const LassoPath none = lasso_path(x, VectorXd::Zero(6), non_negative);
    CHECK(none.alphas == std::vector<double>{0});
    CHECK(none.coefficients.back().isZero(0));
    const LassoPath one_row = lasso_path(x.topRows(1), y.head(1), non_negative);
    CHECK(one_row.alphas.back() == 0);
    CHECK(one_row.coefficients.back().sum() == Approx(1.0 / 6));
  }
}

TEST_CASE("cross-validation gives a constant column nothing, and says what it cannot fit") {
  MatrixXd x(5, 2);
  x.col(0).setConstant(7);
  x.col(1) << 1, 2, 3, 4, 6;
  const VectorXd y = 3 * x.col(1).array() + 10;
  const auto fit = cross_validated_lasso(x, y, {});
  REQUIRE(fit);
  CHECK(fit->coefficients[0] == 0);
  CHECK(fit->coefficients[1] == Approx(3));
  CHECK(fit->intercept == Approx(10));

  const auto flat = cross_validated_lasso(x, VectorXd::Constant(5, 4), {});
  REQUIRE(flat);
  CHECK(flat->coefficients.isZero(0));
  CHECK(flat->intercept == 4);

  CHECK_FALSE(cross_validated_lasso(x.topRows(1), y.head(1), {}));
  VectorXd broken = y;
  broken[2] = std::nan("");
  CHECK_FALSE(cross_validated_lasso(x, broken, {}));
}
