// SPDX-License-Identifier: Apache-2.0
#include "predict/growth/growth_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "predict/growth/growth_search.hpp"

namespace foretask::predict {
namespace {

constexpr double kSharpest = 1e-12;  // of a logarithm
constexpr double kVaguest = 20;
constexpr double kFarthest = 6;  // deviations
constexpr int kHalvings = 80;

}  // namespace

GrowthLaw GrowthLaw::find(std::vector<SizeLevel> levels, GrowthKind kind) {
  std::sort(levels.begin(), levels.end(), [](const SizeLevel& a, const SizeLevel& b) { return a.n < b.n; });
  GrowthLaw law;
  for (const SizeLevel& level : levels) law.octaves_.push_back(std::log2(level.value));
  const bool is_constant = std::all_of(levels.begin(), levels.end(),
                                       [&](const SizeLevel& level) { return level.value == levels.front().value; });
  if (!is_constant) law.forms_ = find_growth_forms(levels, kind == GrowthKind::kCount);
  if (law.forms_.empty()) {
    // One value for all sizes; of none that any law explains, that of the largest.
    GrowthForm constant;
    constant.terms = {0};
    constant.fit.coefficients = GrowthForm::Fit::Vector::Constant(1, levels.back().value);
    constant.fit.covariance = GrowthForm::Fit::Square::Zero(1, 1);
    constant.weight = 1;
    law.forms_.push_back(std::move(constant));
  }
  const auto by_tasks = [](const GrowthForm& form) { return form.kind == GrowthForm::Kind::kTasks; };
  if (std::any_of(law.forms_.begin(), law.forms_.end(), by_tasks)) {
    law.most_tasks_ = levels.back().tasks;
    for (SizeLevel& level : levels) level.value = level.tasks;
    law.tasks_ = std::make_shared<GrowthLaw>(of_counts(std::move(levels)));
  }
  return law;
}

GrowthLaw GrowthLaw::of_counts(std::vector<SizeLevel> levels) {
  constexpr double kRounding = 0.3;     // standard deviation of a uniform one
  constexpr double kCountNoise = 1e-6;  // beside it
  for (SizeLevel& level : levels) {
    level.sd = std::max(kRounding / level.value, kCountNoise);
    level.tasks = 0;
  }
  return find(std::move(levels), GrowthKind::kCount);
}

// The median of what the laws say, and half of the range that holds the middle 68 %: a law of little weight that says
// something wild does not move them.
LogEstimate GrowthLaw::at(double n) const {
  struct Said {
    double mean;
    double sd;
    double weight;
  };
  std::vector<Said> all;
  double low = HUGE_VAL, high = -HUGE_VAL, said = 0;
  GrowthForm::Estimate tasks;
  if (tasks_) {
    const LogEstimate counted = tasks_->at(n);
    tasks = {std::log(counted.value / most_tasks_), counted.log_sd};
  }
  for (const GrowthForm& form : forms_) {
    const GrowthForm::Estimate one = form.at(n, tasks);
    const MisfitThere misfit = misfit_at(one.log_value / std::numbers::ln2, octaves_, form.pull, form.misfit);
    // What falls to nothing at this n is as uncertain as can be; what has no value there says nothing.
    const double sd = std::min(std::sqrt(one.log_sd * one.log_sd + misfit.variance), kVaguest) + kSharpest;
    if (!std::isfinite(one.log_value + misfit.mean) || !std::isfinite(sd)) continue;
    all.push_back({one.log_value + misfit.mean, sd, form.weight});
    said += form.weight;
    low = std::min(low, all.back().mean - kFarthest * sd);
    high = std::max(high, all.back().mean + kFarthest * sd);
  }
  if (all.empty()) return {std::numeric_limits<double>::infinity(), kVaguest};
  const auto quantile = [&](double share) {
    double from = low, to = high;
    for (int step = 0; step < kHalvings && to - from > kSharpest; ++step) {
      const double middle = (from + to) / 2;
      double below = 0;
      for (const Said& one : all)
        below += one.weight * std::erfc((one.mean - middle) / (one.sd * std::numbers::sqrt2)) / 2;
      (below < share * said ? from : to) = middle;
    }
    return (from + to) / 2;
  };
  if (all.size() == 1) return {std::exp(all[0].mean), all[0].sd - kSharpest};
  constexpr double kOneDeviation = 0.158655;
  return {std::exp(quantile(0.5)),
          std::max((quantile(1 - kOneDeviation) - quantile(kOneDeviation)) / 2 - kSharpest, 0.0)};
}

}  // namespace foretask::predict
