// SPDX-License-Identifier: Apache-2.0
// time = T1'(n) / p + c span(n), never below the work and span law: the greedy bound as an estimate (eq. 3 of
// Namsraijav and Taura), c fitted in [0, 2]. T1' and span between the sizes of the runs by straight lines in the
// logarithms, beyond the largest by a power law through the larger half of the sizes. Work that grows with p, as
// through memory traffic, is not in it.
#include "predict/published/published_models.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/number_text.hpp"
#include "predict/program/bounds.hpp"
#include "predict/published/run_table.hpp"
#include "statistics/straight_line.hpp"

namespace foretask::predict {

namespace {

using analysis::ProgramRun;

// A greedy scheduler needs at most one span beside work / p (Brent, Graham); one that steals some more.
constexpr double kLargestFactor = 2;

// A quantity that grows with n, from its values at some n.
class SizeCurve {
 public:
  // At least two sizes, rising; sizes and values above 0.
  SizeCurve(const std::vector<double>& sizes, const Eigen::VectorXd& values) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      log_sizes_.push_back(std::log(sizes[i]));
      log_values_.push_back(std::log(values[static_cast<Eigen::Index>(i)]));
    }
    const std::size_t largest = std::max<std::size_t>(2, (sizes.size() + 1) / 2);
    const auto line =
        statistics::straight_line(std::span(log_sizes_).last(largest), std::span(log_values_).last(largest));
    exponent_ = line.slope;
    log_values_.back() = line.at(log_sizes_.back());
  }

  [[nodiscard]] double at(double n) const {
    const double x = std::log(n);
    if (x >= log_sizes_.back()) return std::exp(log_values_.back() + exponent_ * (x - log_sizes_.back()));
    // The last size not above x, or the first.
    const auto above = std::upper_bound(log_sizes_.begin() + 1, log_sizes_.end() - 1, x);
    const auto i = static_cast<std::size_t>(above - log_sizes_.begin()) - 1;
    const double slope = (log_values_[i + 1] - log_values_[i]) / (log_sizes_[i + 1] - log_sizes_[i]);
    return std::exp(log_values_[i] + slope * (x - log_sizes_[i]));
  }

  [[nodiscard]] double exponent() const { return exponent_; }

 private:
  std::vector<double> log_sizes_;
  std::vector<double> log_values_;  // the last one is the power law's, so that the two meet
  double exponent_ = 0;             // of the power law
};

class WorkSpan final : public FittedProgram {
 public:
  explicit WorkSpan(const RunTable& table)
      : work_(table.sizes, table.mean_by_size(&ProgramRun::serial_work)),
        span_(table.sizes, table.mean_by_size(&ProgramRun::span)) {
    // Least squares of the relative error.
    double product = 0;
    double square = 0;
    for (const ProgramRun* run : table.rows) {
      const double span = span_.at(run->n) / run->time;
      product += span * (1 - work_.at(run->n) / run->p / run->time);
      square += span * span;
    }
    factor_ = std::clamp(product / square, 0.0, kLargestFactor);
  }

  [[nodiscard]] ProgramParts at(double n, double p) const override {
    ProgramParts parts;
    parts.serial_work = parts.work = work_.at(n);
    parts.span = span_.at(n);
    return with_time(parts, std::max(parts.work / p + factor_ * parts.span, lower_bound(parts.work, parts.span, p)));
  }

  [[nodiscard]] std::string formula() const override {
    return "time = T1' / p + " + base::number_text(factor_) + " * span, at least span; beyond the runs T1' as n^" +
           base::number_text(work_.exponent()) + ", span as n^" + base::number_text(span_.exponent());
  }

 private:
  SizeCurve work_;
  SizeCurve span_;
  double factor_ = 0;
};

}  // namespace

Result<std::unique_ptr<FittedProgram>> fit_work_span(std::span<const ProgramRun> runs) {
  const RunTable table = run_table(runs);
  if (const std::optional<Error> error = lacking(table, {.sizes = 2, .workers = 2, .rows = 4})) return *error;
  if (table.column(&ProgramRun::serial_work).minCoeff() <= 0) return Error{"a run lacks its serial work (T1')"};
  if (table.column(&ProgramRun::span).minCoeff() <= 0) return Error{"a run lacks its span"};
  return std::unique_ptr<FittedProgram>(std::make_unique<WorkSpan>(table));
}

}  // namespace foretask::predict
