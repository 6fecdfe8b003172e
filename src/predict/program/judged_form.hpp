// SPDX-License-Identifier: Apache-2.0
// A model of T(n, p) with what the runs held out say of it: how far it is off, and how wide an interval around it has
// to be.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "foretask/analysis/program_table.hpp"
#include "predict/program/program_cells.hpp"
#include "predict/program/program_form.hpp"

namespace foretask::predict {

// How far laws are off where runs were recorded. Added to what they say, it makes the answer at a recorded size that of
// its runs; between two sizes it goes over from one to the other, and beyond it fades. Const and thread safe.
class RecordedOffsets {
 public:
  struct Offset {
    double log_ratio = 0;  // of the recorded time over the law's
    double known = 0;      // 1 where runs were recorded, 0 far from all: the share of the law's own error that is gone
  };

  RecordedOffsets() = default;
  // `time` is what the laws say at n and p; above 0 at each cell.
  RecordedOffsets(std::span<const ProgramCell> cells, const std::function<double(double n, double p)>& time);

  // Nothing for workers beyond those recorded.
  [[nodiscard]] Offset at(double n, double p) const;

 private:
  using Line = std::map<double, double>;  // log2(n) to log ratio, of one number of workers
  static Offset along(const Line& line, double octave);

  std::map<double, Line> lines_;  // by log2(p)
};

// Which runs are held out of a table to judge models by: always the largest sizes, the most workers, or both, as the
// questions ask beyond both.
struct HoldOut {
  std::vector<analysis::ProgramRun> known;
  std::vector<ProgramCell> asked;  // larger than all that is known, in n, p or both
  double largest_n = 0;            // of those known
  double most_workers = 0;
};

// From none (up to three sizes on up to two numbers of workers) to six.
[[nodiscard]] std::vector<HoldOut> hold_outs(std::span<const analysis::ProgramRun> runs);

// How far beyond the known runs: octaves of n and of p together.
[[nodiscard]] double octaves_beyond(double n, double p, double largest_n, double most_workers);

class JudgedForm {
 public:
  // Fits it to all runs, and to each of `splits` to be judged.
  JudgedForm(const ProgramForm& form, std::span<const analysis::ProgramRun> runs, std::span<const HoldOut> splits);

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

  void judge(const ProgramForm& form, std::span<const HoldOut> splits);
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
