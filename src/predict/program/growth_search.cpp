// SPDX-License-Identifier: Apache-2.0
#include "predict/program/growth_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "predict/program/growth_terms.hpp"
#include "predict/program/size_windows.hpp"

namespace foretask::predict {
namespace {

using Fit = GrowthForm::Fit;

// Beyond n^4.5 at the largest sizes: sums of terms do not reach it.
constexpr double kSteep = 4.5;
constexpr double kWorstScore = 16;  // behind the best: a weight of 1/3000
constexpr std::size_t kFewestSizes = 4;
constexpr double kOffsetPrior = 0.1;  // of a constant beside a power
constexpr double kMostPower = 15;     // beside c^n
constexpr double kMostFactorials = 2;

struct Misfit {
  double sd;
  double prior;
};
constexpr std::array kMisfits{Misfit{0, 0.5}, Misfit{0.03, 0.2}, Misfit{0.1, 0.2}, Misfit{0.3, 0.1}};

class Search {
 public:
  Search(const std::vector<SizeLevel>& levels, bool is_count)
      : levels_(levels), is_count_(is_count), scale_(levels.back().n), is_steep_(slope_at_the_end() > kSteep) {}

  [[nodiscard]] std::vector<GrowthForm> run() {
    for (const std::size_t window : size_windows(levels_.size(), kFewestSizes)) {
      const auto levels = std::span(levels_).last(window);
      for (const Misfit& misfit : kMisfits) {
        if (misfit.sd > 0 && window < 3) continue;
        const SizeMisfit covariance(levels, misfit.sd);
        covariance_ = &covariance;
        misfit_prior_ = misfit.prior;
        if (!is_steep_) sums(levels);
        for (const PowerForm& form : kPowerForms)
          if (!form.is_steep || is_steep_) power(levels, form);
        offset(levels);
      }
    }
    weigh();
    return std::move(forms_);
  }

 private:
  // Of the logarithms, over the upper third.
  [[nodiscard]] double slope_at_the_end() const {
    if (levels_.size() < 2) return 0;
    const auto last = std::span(levels_).last(std::max<std::size_t>(2, (levels_.size() + 2) / 3));
    double x = 0, y = 0, xx = 0, xy = 0;
    for (const SizeLevel& level : last) {
      const double log_n = std::log(level.n), log_value = std::log(level.value);
      x += log_n, y += log_value, xx += log_n * log_n, xy += log_n * log_value;
    }
    const auto m = static_cast<double>(last.size());
    const double spread = xx - x * x / m;
    return spread > 0 ? (xy - x * y / m) / spread : 0;
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
    for (int a = 0; a < kLawTermCount; ++a) {
      sum({a}, columns, target);
      if (rows < 4) continue;
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
      log_prior += std::log(law_term_prior(terms[i]) * static_cast<double>(i + 1));
    form.terms = std::move(terms);
    keep(std::move(form), std::move(residuals), log_prior);
  }

  [[nodiscard]] bool signs_are_right(const std::vector<int>& terms, const Fit::Vector& coefficients) const {
    // The last one grows fastest.
    if (!(coefficients(coefficients.size() - 1) > 0)) return false;
    for (std::size_t i = 0; i + 1 < terms.size(); ++i) {
      if (coefficients(static_cast<Eigen::Index>(i)) >= 0 || is_count_) continue;
      if (kLawTerms[static_cast<std::size_t>(terms[i])].partner != terms.back()) return false;
    }
    return true;
  }

  void power(std::span<const SizeLevel> levels, const PowerForm& of) {
    const auto rows = static_cast<Eigen::Index>(levels.size());
    Fit::Design design(rows, of.count);
    Eigen::VectorXd target(rows);
    for (Eigen::Index row = 0; row < rows; ++row) {
      const SizeLevel& level = levels[static_cast<std::size_t>(row)];
      target(row) = std::log(level.value) - log_factor(of.factor, level.n);
      for (int i = 0; i < of.count; ++i)
        design(row, i) = law_exponent(of.exponents[static_cast<std::size_t>(i)], level.n);
    }
    covariance_->whiten(design);
    covariance_->whiten(target);
    GrowthForm form;
    if (!form.fit.solve(design, target)) return;
    for (int i = 1; i < of.count && of.is_steep; ++i) {
      const int exponent = of.exponents[static_cast<std::size_t>(i)];
      const double value = form.fit.coefficients(i);
      // Nothing counts n^-70 things; what grows as factorials do has n^n once or twice.
      if (exponent == kExponentLog && std::abs(value) > kMostPower) return;
      if (exponent == kExponentLinearLog && (value < 0 || value > kMostFactorials)) return;
    }
    form.kind = GrowthForm::Kind::kPower;
    form.terms.assign(of.exponents.begin(), of.exponents.begin() + of.count);
    form.factor = of.factor;
    keep(std::move(form), std::move(target), std::log(of.prior));
  }

  // A constant beside a power or an exponential: what a program does once, before it begins.
  void offset(std::span<const SizeLevel> levels) {
    if (levels.size() < kFewestSizes) return;
    const double exponent = least_exponent(levels);
    Offset best = with_exponent(levels, exponent);
    // What costs does not begin below nothing; without the constant it is one of the powers.
    if (!std::isfinite(best.misses) || !(best.coefficients(0) > 0) || !(best.coefficients(1) > 0)) return;
    // The three coefficients' covariance, by the derivatives there.
    const auto rows = static_cast<Eigen::Index>(levels.size());
    Fit::Design slopes(rows, 3);
    for (Eigen::Index row = 0; row < rows; ++row) {
      const SizeLevel& level = levels[static_cast<std::size_t>(row)];
      const double growth = std::exp(exponent * offset_argument(level.n));
      slopes(row, 0) = 1 / level.value;
      slopes(row, 1) = growth / level.value;
      slopes(row, 2) = best.coefficients(1) * growth * offset_argument(level.n) / level.value;
    }
    covariance_->whiten(slopes);
    GrowthForm form;
    Eigen::VectorXd unused = best.residuals;
    if (!form.fit.solve(slopes, unused)) return;
    form.fit.coefficients = Eigen::Vector3d(best.coefficients(0), best.coefficients(1), exponent);
    form.kind = is_steep_ ? GrowthForm::Kind::kOffsetExponent : GrowthForm::Kind::kOffsetPower;
    form.terms = {0, 0, 0};
    keep(std::move(form), std::move(best.residuals), std::log(kOffsetPrior));
  }

  [[nodiscard]] double offset_argument(double n) const { return is_steep_ ? n - scale_ : std::log(n / scale_); }

  // Where the residuals are least, by golden section.
  [[nodiscard]] double least_exponent(std::span<const SizeLevel> levels) const {
    constexpr double kGolden = 0.6180339887498949;
    constexpr int kSteps = 40;
    double left = is_steep_ ? 0.02 : 0.2, right = is_steep_ ? 5 : kSteep;
    double a = right - kGolden * (right - left), b = left + kGolden * (right - left);
    double at_a = with_exponent(levels, a).misses, at_b = with_exponent(levels, b).misses;
    for (int step = 0; step < kSteps; ++step) {
      if (at_a < at_b) {
        right = b, b = a, at_b = at_a;
        a = right - kGolden * (right - left);
        at_a = with_exponent(levels, a).misses;
      } else {
        left = a, a = b, at_a = at_b;
        b = left + kGolden * (right - left);
        at_b = with_exponent(levels, b).misses;
      }
    }
    return (left + right) / 2;
  }

  struct Offset {
    double misses = std::numeric_limits<double>::infinity();
    Fit::Vector coefficients;
    Eigen::VectorXd residuals;
  };
  [[nodiscard]] Offset with_exponent(std::span<const SizeLevel> levels, double exponent) const {
    const auto rows = static_cast<Eigen::Index>(levels.size());
    Fit::Design design(rows, 2);
    for (Eigen::Index row = 0; row < rows; ++row) {
      const SizeLevel& level = levels[static_cast<std::size_t>(row)];
      design(row, 0) = 1 / level.value;
      design(row, 1) = std::exp(exponent * offset_argument(level.n)) / level.value;
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
    const std::size_t parameters = form.terms.size();
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
    form.sizes = window;
    form.misfit = covariance_->misfit();
    form.pull = covariance_->pull(std::move(residuals));
    forms_.push_back(std::move(form));
  }

  void weigh() {
    std::erase_if(forms_, [this](const GrowthForm& form) { return !(form.score < best_ + kWorstScore); });
    double sum = 0;
    for (GrowthForm& form : forms_) sum += form.weight = std::exp(-(form.score - best_) / 2);
    for (GrowthForm& form : forms_) form.weight /= sum;
    std::sort(forms_.begin(), forms_.end(),
              [](const GrowthForm& a, const GrowthForm& b) { return a.weight > b.weight; });
  }

  const std::vector<SizeLevel>& levels_;
  bool is_count_;
  double scale_;
  bool is_steep_;
  const SizeMisfit* covariance_ = nullptr;  // of the sizes and the misfit that are looked at
  double misfit_prior_ = 1;
  double best_ = std::numeric_limits<double>::infinity();
  std::vector<GrowthForm> forms_;
};

}  // namespace

std::vector<GrowthForm> find_growth_forms(const std::vector<SizeLevel>& levels, bool is_count) {
  return Search(levels, is_count).run();
}

}  // namespace foretask::predict
