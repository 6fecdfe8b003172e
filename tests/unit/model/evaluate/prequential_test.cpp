// SPDX-License-Identifier: Apache-2.0
#include "model/evaluate/prequential.hpp"

#include <cmath>

#include "catch.hpp"

using namespace foretask::model;

namespace {

class Constant final : public OneParameterModel {
 public:
  explicit Constant(std::optional<double> time) : time_(time) {}
  [[nodiscard]] std::optional<double> predict(double /*x*/) const override { return time_; }
  void learn(double /*x*/, double /*time*/) override {}

 private:
  std::optional<double> time_;
};

Prequential of(std::vector<std::optional<double>> times) {
  std::vector<std::unique_ptr<OneParameterModel>> models;
  for (const auto& time : times) models.push_back(std::make_unique<Constant>(time));
  return Prequential(std::move(models));
}

}  // namespace

TEST_CASE("there is no answer before a sample and beyond what was seen") {
  Prequential models = of({1.0});
  CHECK_FALSE(models.predict(10).has_value());
  models.learn(10, 1);
  models.learn(20, 1);
  CHECK(models.predict(9).has_value());
  CHECK_FALSE(models.predict(8.9).has_value());
  CHECK(models.predict(22).has_value());
  CHECK_FALSE(models.predict(22.1).has_value());
}

TEST_CASE("the model that predicted best answers, and the choice follows a change") {
  Prequential models = of({100.0, 10.0});
  models.learn(1, 10);  // the first sample judges nobody
  CHECK(*models.predict(1) == 100);
  models.learn(1, 10);
  CHECK(*models.predict(1) == 10);
  for (int i = 0; i < 1000; ++i) models.learn(1, 10);
  int samples = 0;
  while (*models.predict(1) == 10 && samples < 1000) {
    models.learn(1, 100);
    ++samples;
  }
  CHECK(samples < 60);
}

TEST_CASE("one sample far off does not change the choice") {
  Prequential models = of({1000.0, 11.0});
  for (int i = 0; i < 20; ++i) models.learn(1, 10);
  models.learn(1, 1000);
  CHECK(*models.predict(1) == 11);
}

TEST_CASE("a model that says nothing is as bad as one can be, and is passed over") {
  Prequential models = of({std::nullopt, 15.0});
  for (int i = 0; i < 5; ++i) models.learn(1, 10);
  CHECK(*models.predict(1) == 15);
}

TEST_CASE("of all models the one is found that fits: a power, two behaviours, one level") {
  Prequential power = one_parameter_models();
  Prequential behaviours = one_parameter_models();
  Prequential level = one_parameter_models();
  for (int i = 0; i < 400; ++i) {
    const double x = 100 + (i * 37) % 400;
    power.learn(x, 3 * x * x);
    behaviours.learn(x, x < 300 ? 5 : 70);
    level.learn(x, 9);
  }
  CHECK(*power.predict(250) == Approx(3 * 250.0 * 250).epsilon(1e-6));
  CHECK(*behaviours.predict(150) == Approx(5).epsilon(0.01));
  CHECK(*behaviours.predict(450) == Approx(70).epsilon(0.01));
  CHECK(*level.predict(250) == Approx(9));
}
