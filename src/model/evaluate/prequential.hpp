// SPDX-License-Identifier: Apache-2.0
// Several models side by side, and the answer of the one that has been best of late. Each sample is first predicted by
// every model and then learned, so that what a model is judged on it had not seen. One thread; a sample costs a
// prediction and an update of each model.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "model/online/axis_model.hpp"

namespace foretask::model {

class Prequential {
 public:
  // Of models that are equally good the earlier answers. At least one.
  explicit Prequential(std::vector<std::unique_ptr<OneParameterModel>> models);

  // Nothing before the first sample, and beyond the parameters seen by more than 10 % (widens()): there a model would
  // be believed on nothing.
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
