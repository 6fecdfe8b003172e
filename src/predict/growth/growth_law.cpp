// SPDX-License-Identifier: Apache-2.0
#include "predict/growth/growth_law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include "statistics/root.hpp"
#include "statistics/straight_line.hpp"

namespace foretask::predict {
namespace {

// What two levels have in common (size_misfit.hpp).
constexpr double kAlike = 0.5;  // of the variance

double likeness(double octaves) { return std::exp(-std::abs(octaves) / kMisfitOctaves); }

// The search for laws of growth (growth_law.hpp).

using Fit = GrowthForm::Fit;

// Growth at the largest sizes, as a power of n: from kMaybeSteep on it may be exponential, beyond kSurelySteep it is,
// as no sum of terms reaches that.
constexpr double kMaybeSteep = 3.7;
constexpr double kSurelySteep = 6;
constexpr std::size_t kFewestSizes = 4;
constexpr double kOffsetPrior = 0.1;  // of a constant beside a power
constexpr double kTasksPrior = 0.2;   // of a cost in proportion to the tasks
constexpr double kMostPower = 15;     // beside c^n
constexpr double kAllPriors = std::accumulate(kLawTerms.begin(), kLawTerms.end(), 0.0,
                                              [](double sum, const LawTerm& term) { return sum + term.prior; });
// log c of c^n, at the last size: searches double with each bit or item, or every few; what seems to grow as 1.1^n is a
// power of n on its way to a smaller one, as the fill-in of a sparse matrix is.
constexpr double kLeastStep = 0.18;

// A program goes on as it does at the largest sizes: a term that is small there is rarely one that takes over soon
// after. Standard deviation of what the exponent of n changes by over three octaves beyond them; a constant cost does
// not count.
constexpr double kPaceChange = 0.25;
constexpr std::array kPacePoints{1.0, 1.05, 8.0, 8.4};  // times the largest size

struct Misfit {
  double sd;
  double prior;
};
constexpr std::array kMisfits{Misfit{0, 0.4}, Misfit{0.01, 0.15}, Misfit{0.03, 0.15}, Misfit{0.1, 0.2},
                              Misfit{0.3, 0.1}};

// Finds all laws that count, with weights that sum up to 1, most first; none where no law explains the levels. Levels
// by n, rising, each n once.
class Search {
 public:
  Search(const std::vector<SizeLevel>& levels, bool is_count)
      : levels_(levels), is_count_(is_count), scale_(levels.back().n), slope_(slope_at_the_end()) {
    for (int term = 0; term < kLawTermCount; ++term)
      for (std::size_t i = 0; i < kPacePoints.size(); ++i)
        beyond_[static_cast<std::size_t>(term)][i] = law_term(term, scale_ * kPacePoints[i]) / law_term(term, scale_);
  }

  [[nodiscard]] std::vector<GrowthForm> run() {
    for (const std::size_t window : size_windows(levels_.size(), kFewestSizes)) {
      const auto levels = std::span(levels_).last(window);
      for (const Misfit& misfit : kMisfits) {
        if (misfit.sd > 0 && window < 3) continue;
        const SizeMisfit covariance(levels, misfit.sd);
        covariance_ = &covariance;
        misfit_prior_ = misfit.prior;
        if (slope_ < kSurelySteep) sums(levels);
        for (const PowerForm& form : kPowerForms)
          if (!form.is_steep || may_be_exponential()) power(levels, form);
        if (slope_ < kSurelySteep) offset(levels, false);
        if (may_be_exponential()) offset(levels, true);
        tasks(levels);
      }
    }
    weigh(forms_);
    std::sort(forms_.begin(), forms_.end(),
              [](const GrowthForm& a, const GrowthForm& b) { return a.weight > b.weight; });
    return std::move(forms_);
  }

 private:
  // Two sizes are a power.
  [[nodiscard]] bool may_be_exponential() const { return slope_ > kMaybeSteep && levels_.size() > 2; }

  // Of the logarithms, over the upper third.
  [[nodiscard]] double slope_at_the_end() const {
    if (levels_.size() < 2) return 0;
    const auto last = std::span(levels_).last(std::max<std::size_t>(2, (levels_.size() + 2) / 3));
    std::vector<double> log_sizes, log_values;
    for (const SizeLevel& level : last) {
      log_sizes.push_back(std::log(level.n));
      log_values.push_back(std::log(level.value));
    }
    return statistics::straight_line(log_sizes, log_values).slope;
  }

  // All sums of one to three terms; rows relative to the values.
  void sums(std::span<const SizeLevel> levels) {
    const auto rows = static_cast<Eigen::Index>(levels.size());
    Eigen::MatrixXd columns(rows, kLawTermCount);
    for (Eigen::Index row = 0; row < rows; ++row) {
      const SizeLevel& level = levels[static_cast<std::size_t>(row)];
      for (int term = 0; term < kLawTermCount; ++term)
        columns(row, term) = law_term(term, level.n) / law_term(term, scale_) / level.value;
    }
    Eigen::VectorXd target = Eigen::VectorXd::Ones(rows);
    covariance_->whiten(columns);
    covariance_->whiten(target);
    const Eigen::Index fewest_of_two = is_count_ ? 3 : 4;  // two terms and a check of them, or two against the noise
    for (int a = 0; a < kLawTermCount; ++a) {
      sum({a}, columns, target);
      if (rows < fewest_of_two) continue;
      for (int b = a + 1; b < kLawTermCount; ++b) {
        sum({a, b}, columns, target);
        if (rows < 5) continue;
        for (int c = b + 1; c < kLawTermCount; ++c) sum({a, b, c}, columns, target);
      }
    }
  }

  void sum(std::vector<int> terms, const Eigen::MatrixXd& columns, const Eigen::VectorXd& target) {
    const auto count = static_cast<Eigen::Index>(terms.size());
    Fit::Design design(columns.rows(), count);
    for (Eigen::Index i = 0; i < count; ++i) design.col(i) = columns.col(terms[static_cast<std::size_t>(i)]);
    GrowthForm form;
    Eigen::VectorXd residuals = target;
    if (!form.fit.solve(design, residuals) || !signs_are_right(terms, form.fit.coefficients)) return;
    double log_prior = 0;
    for (std::size_t i = 0; i < terms.size(); ++i)
      log_prior +=
          std::log(kLawTerms[static_cast<std::size_t>(terms[i])].prior / kAllPriors * static_cast<double>(i + 1));
    log_prior -= pace_penalty(terms, form.fit.coefficients);
    form.terms = std::move(terms);
    keep(std::move(form), std::move(residuals), log_prior);
  }

  // Of a sum of several terms.
  [[nodiscard]] double pace_penalty(const std::vector<int>& terms, const Fit::Vector& coefficients) const {
    std::array<double, kPacePoints.size()> values{};
    for (std::size_t term = terms.front() == 0 ? 1 : 0; term < terms.size(); ++term)
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] += coefficients(static_cast<Eigen::Index>(term)) * beyond_[static_cast<std::size_t>(terms[term])][i];
    if (!(std::min({values[0], values[1], values[2], values[3]}) > 0)) return 0;
    const double change = std::log(values[3] / values[2] * values[0] / values[1]) / std::log(kPacePoints[1]);
    return change * change / (2 * kPaceChange * kPaceChange);
  }

  [[nodiscard]] bool signs_are_right(const std::vector<int>& terms, const Fit::Vector& coefficients) const {
    // The last one grows fastest.
    if (!(coefficients(coefficients.size() - 1) > 0)) return false;
    for (std::size_t i = 0; i + 1 < terms.size(); ++i) {
      if (coefficients(static_cast<Eigen::Index>(i)) >= 0) continue;
      if (is_count_ && is_whole_power(terms[i]) && is_whole_power(terms.back())) continue;
      if (kLawTerms[static_cast<std::size_t>(terms[i])].partner != terms.back()) return false;
    }
    return true;
  }

  // Numbers of pairs, of places in a grid and the like are polynomials.
  static bool is_whole_power(int term) {
    const LawTerm& of = kLawTerms[static_cast<std::size_t>(term)];
    return of.logs == 0 && of.log_logs == 0 && of.power == std::floor(of.power);
  }

  void power(std::span<const SizeLevel> levels, const PowerForm& of) {
    const auto rows = static_cast<Eigen::Index>(levels.size());
    Fit::Design design(rows, of.count);
    Eigen::VectorXd target(rows);
    for (Eigen::Index row = 0; row < rows; ++row) {
      const SizeLevel& level = levels[static_cast<std::size_t>(row)];
      target(row) = std::log(level.value) - of.log_factor(level.n);
      const std::array<double, 3> exponents = of.exponents(level.n);
      for (int i = 0; i < of.count; ++i) design(row, i) = exponents[static_cast<std::size_t>(i)];
    }
    covariance_->whiten(design);
    covariance_->whiten(target);
    GrowthForm form;
    if (!form.fit.solve(design, target)) return;
    if (of.is_steep) {
      // c of c^n; nothing counts n^-70 things beside it.
      const double step = form.fit.coefficients(1) + of.log_factor(scale_ + 1) - of.log_factor(scale_);
      if (!(step > kLeastStep)) return;
      if (of.count > 2 && std::abs(form.fit.coefficients(2)) > kMostPower) return;
    }
    form.kind = GrowthForm::Kind::kPower;
    form.power = &of;
    keep(std::move(form), std::move(target), std::log(of.prior));
  }

  // In proportion to the tasks that were counted, with what is done in any case or without.
  void tasks(std::span<const SizeLevel> levels) {
    const auto is_counted = [](const SizeLevel& level) { return level.tasks > 0; };
    if (!std::all_of(levels_.begin(), levels_.end(), is_counted)) return;
    const double most = levels.back().tasks;
    if (levels.size() < 2 || levels.front().tasks == most) return;
    const auto rows = static_cast<Eigen::Index>(levels.size());
    for (const Eigen::Index count : {1, 2}) {
      Fit::Design design(rows, count);
      for (Eigen::Index row = 0; row < rows; ++row) {
        const SizeLevel& level = levels[static_cast<std::size_t>(row)];
        design(row, 0) = level.tasks / most / level.value;
        if (count == 2) design(row, 1) = 1 / level.value;
      }
      Eigen::VectorXd target = Eigen::VectorXd::Ones(rows);
      covariance_->whiten(design);
      covariance_->whiten(target);
      GrowthForm form;
      if (!form.fit.solve(design, target) || !(form.fit.coefficients.minCoeff() > 0)) return;
      form.kind = GrowthForm::Kind::kTasks;
      form.tasks = most;
      keep(std::move(form), std::move(target), std::log(count == 1 ? kTasksPrior : kTasksPrior * kOffsetPrior));
    }
  }

  // A constant beside a power or an exponential: what a program does once, before it begins.
  void offset(std::span<const SizeLevel> levels, bool is_steep) {
    if (levels.size() < kFewestSizes) return;
    constexpr int kSections = 40;
    // Where the residuals are least.
    const double exponent =
        statistics::least_between([&](double at) { return with_exponent(levels, at, is_steep).misses; },
                                  is_steep ? kLeastStep : 0.2, is_steep ? 5 : kSurelySteep, kSections);
    Offset best = with_exponent(levels, exponent, is_steep);
    // What costs does not begin below nothing; without the constant it is one of the powers.
    if (!std::isfinite(best.misses) || !(best.coefficients(0) > 0) || !(best.coefficients(1) > 0)) return;
    // The three coefficients' covariance, by the derivatives there.
    const auto rows = static_cast<Eigen::Index>(levels.size());
    Fit::Design slopes(rows, 3);
    for (Eigen::Index row = 0; row < rows; ++row) {
      const SizeLevel& level = levels[static_cast<std::size_t>(row)];
      const double growth = std::exp(exponent * offset_argument(level.n, is_steep));
      slopes(row, 0) = 1 / level.value;
      slopes(row, 1) = growth / level.value;
      slopes(row, 2) = best.coefficients(1) * growth * offset_argument(level.n, is_steep) / level.value;
    }
    covariance_->whiten(slopes);
    GrowthForm form;
    Eigen::VectorXd unused = best.residuals;
    if (!form.fit.solve(slopes, unused)) return;
    form.fit.coefficients = Eigen::Vector3d(best.coefficients(0), best.coefficients(1), exponent);
    form.kind = is_steep ? GrowthForm::Kind::kOffsetExponent : GrowthForm::Kind::kOffsetPower;
    keep(std::move(form), std::move(best.residuals), std::log(kOffsetPrior));
  }

  [[nodiscard]] double offset_argument(double n, bool is_steep) const {
    return is_steep ? n - scale_ : std::log(n / scale_);
  }

  struct Offset {
    double misses = std::numeric_limits<double>::infinity();
    Fit::Vector coefficients;
    Eigen::VectorXd residuals;
  };
  [[nodiscard]] Offset with_exponent(std::span<const SizeLevel> levels, double exponent, bool is_steep) const {
    const auto rows = static_cast<Eigen::Index>(levels.size());
    Fit::Design design(rows, 2);
    for (Eigen::Index row = 0; row < rows; ++row) {
      const SizeLevel& level = levels[static_cast<std::size_t>(row)];
      design(row, 0) = 1 / level.value;
      design(row, 1) = std::exp(exponent * offset_argument(level.n, is_steep)) / level.value;
    }
    Offset found;
    found.residuals = Eigen::VectorXd::Ones(rows);
    covariance_->whiten(design);
    covariance_->whiten(found.residuals);
    Fit fit;
    if (!fit.solve(design, found.residuals)) return found;
    found.coefficients = fit.coefficients;
    found.misses = found.residuals.squaredNorm();
    return found;
  }

  void keep(GrowthForm&& form, Eigen::VectorXd residuals, double log_prior) {
    const auto window = static_cast<std::size_t>(residuals.size());
    const std::size_t parameters = form.parameters();
    // One that goes through all its points has said nothing yet, and one that is free at one of them little; but two
    // sizes are a power.
    const std::size_t free = parameters < 3 ? 1 : 2;
    if (window < parameters + free && !(levels_.size() == 2 && parameters == 2)) return;
    const double misses = residuals.squaredNorm();
    form.score = window_score(misses, levels_.size(), levels_.size() - window) + covariance_->log_determinant() +
                 static_cast<double>(parameters) * std::log(static_cast<double>(levels_.size())) -
                 2 * (log_prior + std::log(misfit_prior_));
    if (form.score > best_ + kWorstScore) return;
    best_ = std::min(best_, form.score);
    form.fit.covariance *= (kNoiseSamples + misses) / (kNoiseSamples + static_cast<double>(window - parameters));
    form.scale = scale_;
    form.misfit = covariance_->misfit();
    form.pull = covariance_->pull(std::move(residuals));
    forms_.push_back(std::move(form));
  }

  const std::vector<SizeLevel>& levels_;
  bool is_count_;
  double scale_;
  double slope_;
  std::array<std::array<double, kPacePoints.size()>, kLawTermCount> beyond_{};  // of each term, over that at scale_
  const SizeMisfit* covariance_ = nullptr;  // of the sizes and the misfit that are looked at
  double misfit_prior_ = 1;
  double best_ = std::numeric_limits<double>::infinity();
  std::vector<GrowthForm> forms_;
};

constexpr double kSharpest = 1e-12;  // of a logarithm
constexpr double kVaguest = 20;
constexpr double kFarthest = 6;  // deviations
constexpr int kHalvings = 80;

}  // namespace

SizeMisfit::SizeMisfit(std::span<const SizeLevel> levels, double misfit)
    : misfit_(misfit),
      lower_(
          Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(levels.size()), static_cast<Eigen::Index>(levels.size()))) {
  const double variance = misfit * misfit;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    lower_(row, row) = levels[i].sd * levels[i].sd + variance;
    if (variance > 0)
      for (std::size_t j = 0; j < i; ++j)
        lower_(row, static_cast<Eigen::Index>(j)) =
            kAlike * variance * likeness(std::log2(levels[i].value / levels[j].value));
  }
  if (variance > 0) {
    const Eigen::MatrixXd covariance = lower_.selfadjointView<Eigen::Lower>();
    lower_ = covariance.llt().matrixL();
  } else {
    lower_.diagonal() = lower_.diagonal().cwiseSqrt();
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    log_determinant_ += 2 * std::log(lower_(row, row) / levels[i].sd);
  }
}

std::vector<double> SizeMisfit::pull(Eigen::VectorXd whitened) const {
  if (misfit_ == 0) return {};
  lower_.triangularView<Eigen::Lower>().transpose().solveInPlace(whitened);
  return {whitened.data(), whitened.data() + whitened.size()};
}

MisfitThere misfit_at(double octave, std::span<const double> octaves, std::span<const double> pull, double misfit) {
  MisfitThere there;
  if (pull.empty() || misfit == 0) return there;
  const double variance = misfit * misfit;
  const std::span<const double> own = octaves.subspan(octaves.size() - pull.size());
  double nearest = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double alike = likeness(octave - own[i]);
    there.mean += kAlike * variance * alike * pull[i];
    nearest = std::max(nearest, alike);
  }
  // As if the nearest one alone were known, and without noise: the process has no memory beyond it.
  there.variance = variance * (1 - kAlike * nearest * nearest);
  return there;
}

GrowthLaw GrowthLaw::find(std::vector<SizeLevel> levels, GrowthKind kind) {
  std::sort(levels.begin(), levels.end(), [](const SizeLevel& a, const SizeLevel& b) { return a.n < b.n; });
  GrowthLaw law;
  for (const SizeLevel& level : levels) law.octaves_.push_back(std::log2(level.value));
  const bool is_constant = std::all_of(levels.begin(), levels.end(),
                                       [&](const SizeLevel& level) { return level.value == levels.front().value; });
  if (!is_constant) law.forms_ = Search(levels, kind == GrowthKind::kCount).run();
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
