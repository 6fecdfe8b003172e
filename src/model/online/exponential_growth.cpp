// SPDX-License-Identifier: Apache-2.0
#include "model/online/exponential_growth.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>

#include "statistics/root.hpp"

namespace foretask::model {
namespace {

constexpr std::size_t kLeastValues = 4;
// Rates, as what they make of the whole range of values, in logarithms.
constexpr double kSlowest = 0.05;
constexpr double kFastest = 200;
constexpr int kRatesTried = 24;
constexpr int kSections = 16;
constexpr int kHalvings = 14;
// Of the logarithm of the likelihood, to the ends of a 95 % region of one coefficient (Wilks 1938).
constexpr double kRegion = 1.92;

class Fits {
 public:
  Fits(std::span<const double> x, std::span<const double> times, double noise)
      : x_(x), times_(times), noise_(noise), largest_(*std::max_element(x.begin(), x.end())) {
    range_ = largest_ - *std::min_element(x.begin(), x.end());
  }

  struct Fit {
    ExponentialGrowth::Course course;
    double error_squares = std::numeric_limits<double>::infinity();
  };

  // The rate is `total` over the whole range: the best base and height, neither below 0, by relative errors.
  [[nodiscard]] Fit at(double total) const {
    const double rate = total / range_;
    double ones = 0;
    double mixed = 0;
    double squares = 0;
    double sum = 0;
    double grown_sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double one = 1 / times_[i];
      const double grown = std::exp(rate * (x_[i] - largest_)) / times_[i];
      ones += one * one;
      mixed += one * grown;
      squares += grown * grown;
      sum += one;
      grown_sum += grown;
    }
    const double determinant = ones * squares - mixed * mixed;
    double base = (squares * sum - mixed * grown_sum) / determinant;
    double height = (ones * grown_sum - mixed * sum) / determinant;
    if (!(base > 0)) {
      base = 0;
      height = grown_sum / squares;
    }
    if (!(height > 0) || !std::isfinite(base)) return {};
    Fit fit{.course = {.rate = rate, .share = height / (base + height)}, .error_squares = 0};
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double off = std::log((base + height * std::exp(rate * (x_[i] - largest_))) / times_[i]);
      fit.error_squares += off * off;
    }
    return fit;
  }

  // Less the logarithm of the likelihood, up to a constant.
  [[nodiscard]] double badness(double total) const {
    const auto rows = static_cast<double>(x_.size());
    return 0.5 * rows * std::log(at(total).error_squares / rows + noise_ * noise_);
  }

  // From `best` towards `end`: the last that is as likely as `most` allows.
  [[nodiscard]] double last_likely(double best, double end, double most) const {
    if (badness(end) <= most) return end;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = std::sqrt(best * end);
      (badness(middle) <= most ? best : end) = middle;
    }
    return best;
  }

 private:
  std::span<const double> x_;
  std::span<const double> times_;
  double noise_;
  double largest_;
  double range_;
};

}  // namespace

double ExponentialGrowth::Course::log_factor(double further) const noexcept {
  constexpr double kGrownAlone = 30;
  const double grown = rate * further;
  return grown > kGrownAlone ? grown + std::log(share) : std::log1p(share * std::expm1(grown));
}

std::optional<ExponentialGrowth> exponential_growth(std::span<const double> x, std::span<const double> times,
                                                    double noise, double most) {
  if (std::set<double>(x.begin(), x.end()).size() < kLeastValues) return std::nullopt;
  const Fits fits(x, times, noise);
  const double step = std::pow(kFastest / kSlowest, 1.0 / (kRatesTried - 1));
  double best = kSlowest;
  double least = std::numeric_limits<double>::infinity();
  double total = kSlowest;
  for (int i = 0; i < kRatesTried; ++i, total *= step) {
    if (const double badness = fits.badness(total); badness < least) {
      least = badness;
      best = total;
    }
  }
  best =
      statistics::least_between([&](double rate) { return fits.badness(rate); }, best / step, best * step, kSections);
  least = fits.badness(best);
  const Fits::Fit fit = fits.at(best);
  constexpr double kCoefficients = 3;
  const double against = half_akaike(fit.error_squares, static_cast<double>(x.size()), kCoefficients, noise);
  if (!std::isfinite(against) || against > most) return std::nullopt;
  return ExponentialGrowth{.slowest = fits.at(fits.last_likely(best, kSlowest, least + kRegion)).course,
                           .likeliest = fit.course,
                           .fastest = fits.at(fits.last_likely(best, kFastest, least + kRegion)).course,
                           .half_akaike = against,
                           .error_squares = fit.error_squares};
}

double half_akaike(double error_squares, double rows, double coefficients, double noise) noexcept {
  const double freedom = rows - coefficients - 1;
  if (freedom <= 0) return std::numeric_limits<double>::infinity();
  return 0.5 * rows * std::log(error_squares / rows + noise * noise) + coefficients +
         coefficients * (coefficients + 1) / freedom;
}

}  // namespace foretask::model
