// SPDX-License-Identifier: Apache-2.0
#include "predict/program/core_shape.hpp"

#include "catch.hpp"

namespace foretask::predict {
namespace {

Eigen::VectorXd row_of(double p) { return Eigen::Vector3d(1, (p - 1) / p, p - 1); }

CoreShape::Question question_of(const std::vector<double>& sizes, double (*value)(double n, double p)) {
  CoreShape::Question question;
  const auto rows = static_cast<Eigen::Index>(8 * sizes.size());
  question.columns.resize(rows, 3);
  question.values.resize(rows);
  question.least = Eigen::VectorXd::Zero(rows);
  question.keep_first = true;
  question.least_noise = 0.001;
  Eigen::Index row = 0;
  for (const double n : sizes)
    for (double p = 1; p <= 8; ++p, ++row) {
      question.columns.row(row) = row_of(p);
      question.values(row) = value(n, p);
      question.sizes.push_back(n);
    }
  return question;
}

TEST_CASE("the cost of a task on 36 workers from up to 8") {
  const auto shape =
      CoreShape::find(question_of({1, 2, 4}, [](double, double p) { return 300 + 10 * (p - 1) + 50 * (p - 1) / p; }));
  REQUIRE(shape);
  CHECK(shape->at(row_of(36)).value == Approx(300 + 350 + 50 * 35 / 36.0).epsilon(1e-6));
  CHECK(shape->at(row_of(36)).log_sd < 0.05);
}

TEST_CASE("sizes that depend on p in another way are left out where they are small") {
  const auto shape = CoreShape::find(question_of({1, 2, 4, 8, 16, 32, 64, 128}, [](double n, double p) {
    return (n < 8 ? 500.0 : 300.0) + 10 * (p - 1) + 50 * (p - 1) / p;
  }));
  REQUIRE(shape);
  CHECK(shape->at(row_of(36)).value == Approx(698.6).epsilon(0.01));
}

TEST_CASE("values of 0 are no error, and columns of 0 no answer") {
  CoreShape::Question question = question_of({1, 2}, [](double, double p) { return p == 1 ? 0 : p - 1; });
  question.keep_first = false;
  question.least = Eigen::VectorXd::Constant(question.values.size(), 0.1);
  const auto shape = CoreShape::find(question);
  REQUIRE(shape);
  CHECK(shape->at(row_of(10)).value == Approx(9).epsilon(0.01));

  question.columns.setZero();
  CHECK_FALSE(CoreShape::find(question));
}

}  // namespace
}  // namespace foretask::predict
