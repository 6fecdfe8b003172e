// SPDX-License-Identifier: Apache-2.0
#include "predict/program/work_span.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <optional>
#include <string>

#include "predict/growth/number_text.hpp"
#include "predict/program/bounds.hpp"
#include "predict/program/run_table.hpp"
#include "predict/program/size_curve.hpp"
#include "predict/program/terms.hpp"

namespace foretask::predict {

namespace {

using analysis::ProgramRun;

// A greedy scheduler needs at most one span beside work / p (Brent, Graham); one that steals some more.
constexpr double kLargestFactor = 2;

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
    return "time = T1' / p + " + number_text(factor_) + " * span, at least span; beyond the runs T1' as n^" +
           number_text(work_.exponent()) + ", span as n^" + number_text(span_.exponent());
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
