// SPDX-License-Identifier: Apache-2.0
#include "model/fit/noise.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "statistics/quantile.hpp"

namespace foretask::model {
namespace {

using analysis::Noise;

// A row is an outlier beyond this many robust standard deviations; more where few rows tell what one is. Of a million
// normal residuals 0.6 lie beyond 5.
double outlier_cut(double rows) { return 5 + 40 / rows; }
// More rows far off than this are no outliers.
constexpr double kMaxOutlierShare = 0.15;
// Below this part of the largest target a residual is rounding.
constexpr double kRounding = 1e-12;
// A fitted value near or below 0 gives no spread.
constexpr double kMinSpreadShare = 0.25;
constexpr int kMaxRounds = 12;
constexpr int kMinWeightRounds = 4;

// False: an outlier.
std::vector<bool> rows_to_use(const Eigen::VectorXd& z, double rounding, bool& heavy_tails) {
  const double rows = static_cast<double>(z.size());
  const double cut = outlier_cut(rows) * std::max(statistics::robust_scale({z.begin(), z.end()}), rounding);
  std::vector<bool> use(static_cast<std::size_t>(z.size()));
  std::transform(z.begin(), z.end(), use.begin(), [cut](double x) { return std::abs(x) <= cut; });
  const auto outliers = static_cast<double>(std::count(use.begin(), use.end(), false));
  heavy_tails = outliers > kMaxOutlierShare * rows;
  if (heavy_tails) use.assign(use.size(), true);
  return use;
}

constexpr double kShare = 0.1;
constexpr std::size_t kMinRows = 20;

}  // namespace

bool may_be_proportional(const Eigen::VectorXd& y) { return y.size() != 0 && y.minCoeff() > 0; }

Eigen::VectorXd first_spread(const Eigen::VectorXd& y, const Eigen::VectorXd& fitted) { return y.cwiseMax(fitted); }

Eigen::MatrixXd rows_of(const Eigen::MatrixXd& values, const std::vector<bool>& use) {
  Eigen::MatrixXd part(std::count(use.begin(), use.end(), true), values.cols());
  Eigen::Index at = 0;
  for (Eigen::Index i = 0; i < values.rows(); ++i)
    if (use[static_cast<std::size_t>(i)]) part.row(at++) = values.row(i);
  return part;
}

double serial_correlation(const Eigen::VectorXd& residuals) {
  if (residuals.size() < 3 || !(residuals.maxCoeff() > residuals.minCoeff())) return 0;
  const Eigen::VectorXd away = residuals.array() - residuals.mean();
  const Eigen::Index n = away.size();
  return away.head(n - 1).dot(away.tail(n - 1)) / away.squaredNorm();
}

Result<RobustFit> robust_fit(const Eigen::MatrixXd& columns, const Eigen::VectorXd& y, Noise noise, bool has_constant) {
  RobustFit result;
  result.noise = noise;
  result.use.assign(static_cast<std::size_t>(y.size()), true);
  const double largest = y.cwiseAbs().maxCoeff();
  if (noise == Noise::kProportional) {
    const auto plain = statistics::least_squares(columns, y, {}, has_constant);
    if (!plain) return plain.error();
    result.spread = first_spread(y, plain->fitted);
  }
  for (int round = 0;; ++round) {
    const Eigen::VectorXd spread =
        noise == Noise::kProportional ? Eigen::VectorXd(rows_of(result.spread, result.use)) : Eigen::VectorXd();
    auto fit = statistics::least_squares(rows_of(columns, result.use), rows_of(y, result.use), spread, has_constant);
    if (!fit) return fit.error();
    result.fit = std::move(*fit);
    result.used = static_cast<std::size_t>(std::count(result.use.begin(), result.use.end(), true));
    result.fitted.setZero(y.size());
    for (std::size_t j = 0; j < result.fit.kept.size(); ++j)
      result.fitted += result.fit.coefficients[static_cast<Eigen::Index>(j)] * columns.col(result.fit.kept[j]);
    result.z = y - result.fitted;
    Eigen::VectorXd next_spread;
    if (noise == Noise::kProportional) {
      result.z.array() /= result.spread.array();
      next_spread = result.fitted.cwiseMax(kMinSpreadShare * y);
    }
    const double rounding = kRounding * (noise == Noise::kProportional ? 1 : largest);
    std::vector<bool> use = rows_to_use(result.z, rounding, result.heavy_tails);
    const bool settled = use == result.use && (noise == Noise::kConstant || round >= kMinWeightRounds);
    if (settled || round == kMaxRounds) break;
    result.use = std::move(use);
    result.spread = std::move(next_spread);
  }

  const double rows = static_cast<double>(y.size());
  const double used = static_cast<double>(result.used);
  const double rounding = kRounding * (noise == Noise::kProportional ? 1 : largest);
  const double sigma = std::max(std::sqrt(result.fit.rss / used), std::max(rounding, 1e-300));
  const double cut = outlier_cut(rows);
  result.score = 2 * rows * std::log(sigma) + used + (rows - used) * cut * cut;
  if (noise == Noise::kProportional) result.score += 2 * result.spread.array().log().sum();
  return result;
}

std::optional<LargestPredicted> predict_largest(const Eigen::MatrixXd& columns, const Eigen::VectorXd& y,
                                                const RobustFit& fit, bool has_constant) {
  const double limit = statistics::quantile({fit.fitted.begin(), fit.fitted.end()}, 1 - kShare);
  std::vector<bool> small = fit.use;
  std::vector<Eigen::Index> large;
  for (std::size_t i = 0; i < small.size(); ++i) {
    if (!small[i] || fit.fitted[static_cast<Eigen::Index>(i)] <= limit) continue;
    small[i] = false;
    large.push_back(static_cast<Eigen::Index>(i));
  }
  if (large.size() < kMinRows) return std::nullopt;
  const bool weighted = fit.spread.size() != 0;
  const Eigen::VectorXd spread = weighted ? Eigen::VectorXd(rows_of(fit.spread, small)) : Eigen::VectorXd();
  const auto smaller = statistics::least_squares(rows_of(columns, small), rows_of(y, small), spread, has_constant);
  if (!smaller) return std::nullopt;

  LargestPredicted result;
  result.hold_out.rows = large.size();
  std::vector<double> errors;
  double predicted_total = 0;
  double actual_total = 0;
  for (const Eigen::Index i : large) {
    double predicted = 0;
    for (std::size_t j = 0; j < smaller->kept.size(); ++j)
      predicted += smaller->coefficients[static_cast<Eigen::Index>(j)] * columns(i, smaller->kept[j]);
    const double residual = (y[i] - predicted) / (weighted ? fit.spread[i] : 1.0);
    result.mean_square += residual * residual / static_cast<double>(large.size());
    predicted_total += predicted;
    actual_total += y[i];
    if (y[i] != 0) errors.push_back(100 * std::abs(predicted / y[i] - 1));
  }
  result.hold_out.median_error_pct = statistics::median(std::move(errors));
  if (actual_total != 0) result.hold_out.total_error_pct = 100 * std::abs(predicted_total / actual_total - 1);
  if (smaller->sigma > 0) result.hold_out.spread_ratio = std::sqrt(result.mean_square) / smaller->sigma;
  return result;
}

}  // namespace foretask::model
