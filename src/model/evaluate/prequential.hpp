// SPDX-License-Identifier: Apache-2.0
// Several models side by side, and the answer of the one that has been best of late. Each sample is first predicted by
// every model and then learned, so that what a model is judged on it had not seen. One thread; a sample costs a
// prediction and an update of each model.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "model/online/axis_models.hpp"

namespace foretask::model {

// Few measured points and straight lines between them (Grass et al. 2014, section 5.2): the first sample is one, and
// each that lies below 90 % of the smallest or above 110 % of the largest. The range only widens, each time by more
// than 10 %, so that the whole range of a double holds less than 16,000 points.
class SupportPoints final : public OneParameterModel {
 public:
  // Whether a sample at `x` becomes a support point.
  [[nodiscard]] bool wants(double x) const noexcept;

  [[nodiscard]] std::optional<double> predict(double x) const override;

  // A sample that it does not want is passed over.
  void learn(double x, double time) override;

 private:
  std::vector<Point> points_;  // x increase: a new one is the first or the last
};

class Prequential {
 public:
  // Of models that are equally good the earlier answers. At least one.
  explicit Prequential(std::vector<std::unique_ptr<OneParameterModel>> models);

  // Nothing before the first sample, and beyond the parameters seen by more than 10 %: there a model would be believed
  // on nothing.
  [[nodiscard]] std::optional<double> predict(double x) const;

  // `x` and `time` are finite and not negative.
  void learn(double x, double time);

 private:
  struct Candidate {
    std::unique_ptr<OneParameterModel> model;
    double error = 0;  // discounted sum of the relative errors
  };

  std::vector<Candidate> candidates_;
  bool seen_ = false;
  double smallest_ = 0;
  double largest_ = 0;
};

// Every model of one parameter that there is.
[[nodiscard]] Prequential one_parameter_models();

}  // namespace foretask::model
