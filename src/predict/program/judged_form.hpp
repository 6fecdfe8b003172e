// SPDX-License-Identifier: Apache-2.0
// A model of T(n, p) with what the runs held out say of it: how far it is off, and how wide an interval around it has
// to be.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "predict/program/hold_out_runs.hpp"
#include "predict/program/program_form.hpp"
#include "predict/program/recorded_offsets.hpp"

namespace foretask::predict {

// As ProgramForm, for one that holds more than a function.
struct NamedForm {
  std::string name;
  std::function<Result<std::unique_ptr<FittedProgram>>(std::span<const analysis::ProgramRun>)> fit;
  bool is_own = true;  // answers a recorded n and p as it was recorded; a published model says what it says
};

// How far beyond the known runs: octaves of n and of p together.
[[nodiscard]] double octaves_beyond(double n, double p, double largest_n, double most_workers);

class JudgedForm {
 public:
  // Fits it to all runs, and to each of `splits` to be judged.
  JudgedForm(const NamedForm& form, std::span<const analysis::ProgramRun> runs, std::span<const HoldOut> splits);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] bool is_own() const noexcept { return is_own_; }
  [[nodiscard]] bool is_fitted() const noexcept { return fitted_ != nullptr; }
  [[nodiscard]] std::string why() const { return fitted_ ? fitted_->formula() : why_; }
  [[nodiscard]] ProgramParts at(double n, double p) const;

  // Geometric mean over the splits of the median of |predicted - measured| / measured; NaN where no split could judge
  // it.
  [[nodiscard]] double error() const noexcept { return error_; }

  // Fitted to what each of the splits leaves, and so compared on the same terms as others that are.
  [[nodiscard]] bool is_judged_by_all() const noexcept { return is_judged_by_all_; }

  // Standard deviation of the logarithm of a run's time around the prediction.
  [[nodiscard]] double log_sd(const ProgramParts& parts, double octaves) const;

 private:
  // Of one octave, of a model of which no held-out run tells.
  static constexpr double kNeverJudged = 0.5;

  void judge(const NamedForm& form, std::span<const HoldOut> splits);
  void measure_noise(std::span<const analysis::ProgramRun> runs);

  std::string name_;
  bool is_own_;
  std::string why_;
  std::unique_ptr<FittedProgram> fitted_;
  RecordedOffsets offsets_;
  double error_;
  double noise_ = 0;                  // of a run around the prediction, where there is no distance
  double per_octave_ = kNeverJudged;  // what the runs held out were off by
  double scale_ = 1;                  // of the model's own standard deviation, with the noise
  bool is_judged_by_all_ = true;
};

}  // namespace foretask::predict
