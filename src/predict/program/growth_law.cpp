// SPDX-License-Identifier: Apache-2.0
#include "predict/program/growth_law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "predict/program/number_text.hpp"
#include "predict/program/size_windows.hpp"

namespace foretask::predict {
namespace {

// A term n^power (log n)^logs (log log n)^log_logs. `prior` is how often such a term is met in the costs of algorithms,
// relative to the others; `partner` the term beside which it may be negative, as n is in n log(n / 8).
struct Term {
  const char* name;
  double power;
  double logs;
  double log_logs;
  double prior;
  int partner;
};

constexpr int kNone = -1;
constexpr std::array kTerms{Term{"1", 0, 0, 0, 1, 1},
                            Term{"log n", 0, 1, 0, 0.3, kNone},
                            Term{"n^0.5", 0.5, 0, 0, 0.1, 3},
                            Term{"n^0.5 log n", 0.5, 1, 0, 0.05, kNone},
                            Term{"n", 1, 0, 0, 1, 6},
                            Term{"n log log n", 1, 0, 1, 0.1, kNone},
                            Term{"n log n", 1, 1, 0, 1, kNone},
                            Term{"n log^2 n", 1, 2, 0, 0.3, kNone},
                            Term{"n^1.5", 1.5, 0, 0, 0.3, 9},
                            Term{"n^1.5 log n", 1.5, 1, 0, 0.1, kNone},
                            Term{"n^2", 2, 0, 0, 1, 11},
                            Term{"n^2 log n", 2, 1, 0, 0.3, kNone},
                            Term{"n^2.5", 2.5, 0, 0, 0.1, kNone},
                            Term{"n^3", 3, 0, 0, 1, 14},
                            Term{"n^3 log n", 3, 1, 0, 0.1, kNone}};
constexpr int kTermCount = static_cast<int>(kTerms.size());

// log log n counts for nothing where it is negative or is not there (n up to e).
double log_log(double n) { return std::log(std::max(std::log(n), 1.0 + 1e-7)); }
double log_of(double n) { return std::max(std::log(n), 1e-9); }

double value_of(const Term& term, double n) {
  double value = std::pow(n, term.power);
  if (term.logs != 0) value *= std::pow(log_of(n), term.logs);
  if (term.log_logs != 0) value *= log_log(n);
  return value;
}

double prior_sum() {
  double sum = 0;
  for (const Term& term : kTerms) sum += term.prior;
  return sum;
}

// What a free exponent multiplies: exp(a + b log n), exp(a + b n), ...
enum Exponent : int { kOne, kLog, kLinear, kLinearLog, kExponents };

double value_of(int exponent, double n) {
  switch (exponent) {
    case kOne:
      return 1;
    case kLog:
      return std::log(n);
    case kLinear:
      return n;
    default:
      return n * std::log(n);
  }
}

// n^a, n^a log n and, of what grows faster than any power that algorithms have, c^n with factors.
struct PowerForm {
  std::array<int, 3> exponents;
  int count;
  int factor;    // log of what it is multiplied by: 0 nothing, 1 log n, 2 n, 3 1 / n
  double prior;  // of a form
  bool is_steep;
};
constexpr std::array kPowerForms{PowerForm{{kOne, kLog}, 2, 0, 1.0 / 15, false},
                                 PowerForm{{kOne, kLog}, 2, 1, 1.0 / 30, false},
                                 PowerForm{{kOne, kLinear}, 2, 0, 1.0 / 3, true},
                                 PowerForm{{kOne, kLinear, kLog}, 3, 0, 1.0 / 3, true},
                                 PowerForm{{kOne, kLinear, kLinearLog}, 3, 0, 1.0 / 3, true},
                                 PowerForm{{kOne, kLinear}, 2, 2, 1.0 / 6, true},
                                 PowerForm{{kOne, kLinear}, 2, 3, 1.0 / 6, true}};

double log_factor(int factor, double n) {
  switch (factor) {
    case 1:
      return std::log(log_of(n));
    case 2:
      return std::log(n);
    case 3:
      return -std::log(n);
    default:
      return 0;
  }
}

// Beyond n^4.5 at the largest sizes: sums of terms do not reach it.
constexpr double kSteep = 4.5;
constexpr double kWorstScore = 16;  // behind the best: a weight of 1/3000

}  // namespace

class GrowthLaw::Search {
 public:
  Search(const std::vector<SizeLevel>& levels, GrowthKind kind)
      : levels_(levels), kind_(kind), scale_(levels.back().n), is_steep_(slope_at_the_end() > kSteep) {}

  [[nodiscard]] std::vector<Law> run() {
    for (const std::size_t window : size_windows(levels_.size(), kFewestSizes)) {
      if (!is_steep_) sums(window);
      for (const PowerForm& form : kPowerForms)
        if (!form.is_steep || is_steep_) power(window, form);
      offset(window);
    }
    weigh();
    return std::move(laws_);
  }

 private:
  static constexpr std::size_t kFewestSizes = 4;

  // Of the logarithms, over the upper third.
  [[nodiscard]] double slope_at_the_end() const {
    const std::size_t count = std::max<std::size_t>(2, (levels_.size() + 2) / 3);
    if (levels_.size() < 2) return 0;
    double x = 0, y = 0, xx = 0, xy = 0;
    for (std::size_t i = levels_.size() - std::min(count, levels_.size()); i < levels_.size(); ++i) {
      const double log_n = std::log(levels_[i].n), log_value = std::log(levels_[i].value);
      x += log_n, y += log_value, xx += log_n * log_n, xy += log_n * log_value;
    }
    const auto m = static_cast<double>(std::min(count, levels_.size()));
    const double spread = xx - x * x / m;
    return spread > 0 ? (xy - x * y / m) / spread : 0;
  }

  // All sums of one to three terms, against the `window` largest sizes.
  void sums(std::size_t window) {
    const std::size_t first = levels_.size() - window;
    Eigen::MatrixXd columns(window, kTermCount);  // relative to the values and their deviations
    Eigen::VectorXd target(window);
    for (std::size_t row = 0; row < window; ++row) {
      const SizeLevel& level = levels_[first + row];
      const auto at = static_cast<Eigen::Index>(row);
      target(at) = 1 / level.sd;
      for (int term = 0; term < kTermCount; ++term)
        columns(at, term) = value_of(kTerms[static_cast<std::size_t>(term)], level.n) /
                            value_of(kTerms[static_cast<std::size_t>(term)], scale_) / (level.value * level.sd);
    }
    for (int a = 0; a < kTermCount; ++a) {
      sum({a}, columns, target);
      if (window < 4) continue;
      for (int b = a + 1; b < kTermCount; ++b) {
        sum({a, b}, columns, target);
        if (window < 5) continue;
        for (int c = b + 1; c < kTermCount; ++c) sum({a, b, c}, columns, target);
      }
    }
  }

  void sum(std::vector<int> terms, const Eigen::MatrixXd& columns, const Eigen::VectorXd& target) {
    const auto count = static_cast<Eigen::Index>(terms.size());
    Fit::Design design(columns.rows(), count);
    for (Eigen::Index i = 0; i < count; ++i) design.col(i) = columns.col(terms[static_cast<std::size_t>(i)]);
    Law law;
    Eigen::VectorXd residuals = target;
    if (!law.fit.solve(design, residuals) || !signs_are_right(terms, law.fit.coefficients)) return;
    double log_prior = 0;
    for (std::size_t i = 0; i < terms.size(); ++i)
      log_prior += std::log(kTerms[static_cast<std::size_t>(terms[i])].prior / kPriorSum * static_cast<double>(i + 1));
    law.terms = std::move(terms);
    keep(std::move(law), residuals, log_prior);
  }

  [[nodiscard]] bool signs_are_right(const std::vector<int>& terms, const Fit::Vector& coefficients) const {
    // The last one grows fastest.
    if (!(coefficients(coefficients.size() - 1) > 0)) return false;
    for (std::size_t i = 0; i + 1 < terms.size(); ++i) {
      if (coefficients(static_cast<Eigen::Index>(i)) >= 0 || kind_ == GrowthKind::kCount) continue;
      const auto partner = std::find(terms.begin(), terms.end(), kTerms[static_cast<std::size_t>(terms[i])].partner);
      if (partner == terms.end() || !(coefficients(partner - terms.begin()) > 0)) return false;
    }
    return true;
  }

  void power(std::size_t window, const PowerForm& form) {
    if (window < static_cast<std::size_t>(form.count) + 1 && !(window == 2 && form.count == 2)) return;
    const std::size_t first = levels_.size() - window;
    Fit::Design design(static_cast<Eigen::Index>(window), form.count);
    Eigen::VectorXd target(window);
    for (std::size_t row = 0; row < window; ++row) {
      const SizeLevel& level = levels_[first + row];
      const auto at = static_cast<Eigen::Index>(row);
      target(at) = (std::log(level.value) - log_factor(form.factor, level.n)) / level.sd;
      for (int i = 0; i < form.count; ++i)
        design(at, i) = value_of(form.exponents[static_cast<std::size_t>(i)], level.n) / level.sd;
    }
    Law law;
    if (!law.fit.solve(design, target)) return;
    law.kind = Law::Kind::kPower;
    law.terms.assign(form.exponents.begin(), form.exponents.begin() + form.count);
    law.factor = form.factor;
    keep(std::move(law), target, std::log(form.prior));
  }

  // A constant beside a power or an exponential: what a program does once, before it begins. The exponent is where the
  // residuals are least, by golden section.
  void offset(std::size_t window) {
    if (window < kFewestSizes) return;
    const double low = is_steep_ ? 0.02 : 0.2, high = is_steep_ ? 5 : 4.5;
    constexpr double kGolden = 0.6180339887498949;
    constexpr int kSteps = 40;
    double left = low, right = high;
    double a = right - kGolden * (right - left), b = left + kGolden * (right - left);
    double at_a = with_exponent(window, a).misses, at_b = with_exponent(window, b).misses;
    for (int step = 0; step < kSteps; ++step) {
      if (at_a < at_b) {
        right = b, b = a, at_b = at_a;
        a = right - kGolden * (right - left);
        at_a = with_exponent(window, a).misses;
      } else {
        left = a, a = b, at_a = at_b;
        b = left + kGolden * (right - left);
        at_b = with_exponent(window, b).misses;
      }
    }
    const double exponent = (left + right) / 2;
    Offset best = with_exponent(window, exponent);
    // What costs does not begin below nothing; without the constant it is one of the powers.
    if (!std::isfinite(best.misses) || !(best.coefficients(0) > 0) || !(best.coefficients(1) > 0)) return;
    // The three coefficients' covariance, by the derivatives there.
    const std::size_t first = levels_.size() - window;
    Fit::Design slopes(static_cast<Eigen::Index>(window), 3);
    for (std::size_t row = 0; row < window; ++row) {
      const SizeLevel& level = levels_[first + row];
      const double x = is_steep_ ? level.n - scale_ : std::log(level.n / scale_);
      const double weight = 1 / (level.value * level.sd), growth = std::exp(exponent * x);
      slopes.row(static_cast<Eigen::Index>(row)) << weight, weight * growth, weight * best.coefficients(1) * growth * x;
    }
    Law law;
    Eigen::VectorXd none = best.residuals;
    if (!law.fit.solve(slopes, none)) return;
    law.fit.coefficients << best.coefficients(0), best.coefficients(1), exponent;
    law.kind = is_steep_ ? Law::Kind::kOffsetExponent : Law::Kind::kOffsetPower;
    law.terms = {0, 0, 0};
    constexpr double kPrior = 1.0 / 10;
    keep(std::move(law), best.residuals, std::log(kPrior));
  }

  struct Offset {
    double misses = std::numeric_limits<double>::infinity();
    Fit::Vector coefficients;
    Eigen::VectorXd residuals;
  };
  [[nodiscard]] Offset with_exponent(std::size_t window, double exponent) const {
    const std::size_t first = levels_.size() - window;
    Fit::Design design(static_cast<Eigen::Index>(window), 2);
    Offset found;
    found.residuals.resize(static_cast<Eigen::Index>(window));
    for (std::size_t row = 0; row < window; ++row) {
      const SizeLevel& level = levels_[first + row];
      const double x = is_steep_ ? level.n - scale_ : std::log(level.n / scale_);
      const double weight = 1 / (level.value * level.sd);
      design.row(static_cast<Eigen::Index>(row)) << weight, weight * std::exp(exponent * x);
      found.residuals(static_cast<Eigen::Index>(row)) = 1 / level.sd;
    }
    Fit fit;
    if (!fit.solve(design, found.residuals)) return found;
    found.coefficients = fit.coefficients;
    found.misses = found.residuals.squaredNorm();
    return found;
  }

  void keep(Law&& law, const Eigen::VectorXd& residuals, double log_prior) {
    const auto window = static_cast<std::size_t>(residuals.size());
    const std::size_t parameters = law.terms.size();
    // One that goes through all its points has said nothing yet.
    const bool is_exact_by_count = window <= parameters;
    if (is_exact_by_count && !(levels_.size() == 2 && parameters == 2)) return;
    const double misses = residuals.squaredNorm();
    law.score = window_score(misses, levels_.size(), levels_.size() - window) +
                static_cast<double>(parameters) * std::log(static_cast<double>(levels_.size())) - 2 * log_prior;
    law.fit.covariance *= (kNoiseSamples + misses) / (kNoiseSamples + static_cast<double>(window - parameters));
    law.sizes = window;
    laws_.push_back(std::move(law));
  }

  void weigh() {
    double best = std::numeric_limits<double>::infinity();
    for (const Law& law : laws_) best = std::min(best, law.score);
    std::erase_if(laws_, [best](const Law& law) { return !(law.score < best + kWorstScore); });
    double sum = 0;
    for (Law& law : laws_) sum += law.weight = std::exp(-(law.score - best) / 2);
    for (Law& law : laws_) law.weight /= sum;
    std::sort(laws_.begin(), laws_.end(), [](const Law& a, const Law& b) { return a.weight > b.weight; });
  }

  static inline const double kPriorSum = prior_sum();
  const std::vector<SizeLevel>& levels_;
  GrowthKind kind_;
  double scale_;
  bool is_steep_;
  std::vector<Law> laws_;
};

GrowthLaw GrowthLaw::find(std::vector<SizeLevel> levels, GrowthKind kind) {
  std::sort(levels.begin(), levels.end(), [](const SizeLevel& a, const SizeLevel& b) { return a.n < b.n; });
  GrowthLaw law;
  law.scale_ = levels.back().n;
  const bool is_constant = std::all_of(levels.begin(), levels.end(),
                                       [&](const SizeLevel& level) { return level.value == levels.front().value; });
  if (!is_constant) law.laws_ = Search(levels, kind).run();
  if (law.laws_.empty()) {
    // One value for all sizes; of none that any law explains, that of the largest.
    Law constant;
    constant.terms = {0};
    constant.fit.coefficients = Fit::Vector::Constant(1, levels.back().value);
    constant.fit.covariance = Fit::Square::Zero(1, 1);
    constant.sizes = levels.size();
    constant.weight = 1;
    law.laws_.push_back(std::move(constant));
  }
  return law;
}

GrowthLaw::Estimate GrowthLaw::Law::at(double n, double scale) const {
  const auto count = static_cast<Eigen::Index>(terms.size());
  Fit::Vector row(count);
  if (kind == Kind::kOffsetPower || kind == Kind::kOffsetExponent) return offset_at(n, scale);
  if (kind == Kind::kPower) {
    for (Eigen::Index i = 0; i < count; ++i) row(i) = value_of(terms[static_cast<std::size_t>(i)], n);
    return {fit.coefficients.dot(row) + log_factor(factor, n), std::sqrt(std::max(row.dot(fit.covariance * row), 0.0))};
  }
  for (Eigen::Index i = 0; i < count; ++i) {
    const Term& term = kTerms[static_cast<std::size_t>(terms[static_cast<std::size_t>(i)])];
    row(i) = value_of(term, n) / value_of(term, scale);
  }
  const double value = std::max(fit.coefficients.dot(row), std::numeric_limits<double>::min());
  return {std::log(value), std::sqrt(std::max(row.dot(fit.covariance * row), 0.0)) / value};
}

GrowthLaw::Estimate GrowthLaw::Law::offset_at(double n, double scale) const {
  const double x = kind == Kind::kOffsetExponent ? n - scale : std::log(n / scale);
  const double growth = std::exp(fit.coefficients(2) * x);
  Fit::Vector slope(3);
  slope << 1, growth, fit.coefficients(1) * growth * x;
  const double value = std::max(fit.coefficients(0) + fit.coefficients(1) * growth, std::numeric_limits<double>::min());
  return {std::log(value), std::sqrt(std::max(slope.dot(fit.covariance * slope), 0.0)) / value};
}

GrowthLaw::Estimate GrowthLaw::at(double n) const {
  double mean = 0, second = 0, own = 0;
  for (const Law& law : laws_) {
    const Estimate one = law.at(n, scale_);
    mean += law.weight * one.value;
    second += law.weight * one.value * one.value;
    own += law.weight * one.log_sd * one.log_sd;
  }
  return {std::exp(mean), std::sqrt(std::max(second - mean * mean, 0.0) + own)};
}

std::string GrowthLaw::formula() const {
  const Law& law = laws_.front();
  if (law.kind == Law::Kind::kSum) return law.sum_text(scale_);
  return law.kind == Law::Kind::kPower ? law.power_text() : law.offset_text(scale_);
}

std::string GrowthLaw::Law::offset_text(double scale) const {
  const bool is_exponential = kind == Kind::kOffsetExponent;
  const double exponent = fit.coefficients(2);
  const double factor = fit.coefficients(1) * std::exp(-exponent * (is_exponential ? scale : std::log(scale)));
  return number_text(fit.coefficients(0)) + " + " + number_text(factor) +
         (is_exponential ? " " + number_text(std::exp(exponent), 5) + "^n" : " n^" + number_text(exponent));
}

std::string GrowthLaw::Law::sum_text(double scale) const {
  std::string text;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Term& term = kTerms[static_cast<std::size_t>(terms[i])];
    const double coefficient = fit.coefficients(static_cast<Eigen::Index>(i)) / value_of(term, scale);
    if (i != 0) text += coefficient < 0 ? " - " : " + ";
    text += number_text(i == 0 ? coefficient : std::abs(coefficient));
    if (term.power != 0 || term.logs != 0) text += std::string(" ") + term.name;
  }
  return text;
}

std::string GrowthLaw::Law::power_text() const {
  static constexpr std::array kFactors{"", " log n", " n", " / n"};
  const std::string tail = kFactors[static_cast<std::size_t>(factor)];
  const std::string constant = number_text(std::exp(fit.coefficients(0)));
  if (terms.size() == 1) return constant + tail;
  if (terms.size() == 2 && terms[1] == kLog) return constant + " n^" + number_text(fit.coefficients(1)) + tail;
  if (terms.size() == 2) return constant + " " + number_text(std::exp(fit.coefficients(1)), 5) + "^n" + tail;
  const std::string base = terms[2] == kLog ? " n^" : " n^(n ";
  return constant + " " + number_text(std::exp(fit.coefficients(1)), 5) + "^n" + base +
         number_text(fit.coefficients(2)) + (terms[2] == kLog ? "" : ")") + tail;
}

}  // namespace foretask::predict
