// SPDX-License-Identifier: Apache-2.0
#include "model/fit/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "statistics/tails.hpp"

namespace foretask::model {
namespace {

constexpr Eigen::Index kMinRowsForShape = 8;
constexpr std::size_t kBins = 10;

bool all_rounding(const Eigen::VectorXd& values) {
  return values.size() == 0 || !(values.maxCoeff() > values.minCoeff());
}

}  // namespace

Shape shape_of(const Eigen::VectorXd& values) {
  if (all_rounding(values)) return {};
  const Eigen::ArrayXd away = values.array() - values.mean();
  const double variance = away.square().mean();
  const Eigen::ArrayXd z = away / std::sqrt(variance);
  return {.skewness = z.cube().mean(), .excess_kurtosis = z.square().square().mean() - 3};
}

std::optional<analysis::TestResult> normality(const Eigen::VectorXd& residuals) {
  if (residuals.size() < kMinRowsForShape || all_rounding(residuals)) return std::nullopt;
  const Shape shape = shape_of(residuals);
  const double statistic = static_cast<double>(residuals.size()) / 6 *
                           (shape.skewness * shape.skewness + shape.excess_kurtosis * shape.excess_kurtosis / 4);
  return analysis::TestResult{.statistic = statistic, .freedom = 2, .p = statistics::chi_squared_tail(statistic, 2)};
}

std::optional<analysis::TestResult> breusch_pagan(const Eigen::MatrixXd& columns, const Eigen::VectorXd& residuals) {
  if (all_rounding(residuals)) return std::nullopt;
  Eigen::MatrixXd with_constant(columns.rows(), columns.cols() + 1);
  with_constant << Eigen::VectorXd::Ones(columns.rows()), columns;
  const Eigen::VectorXd squares = residuals.cwiseAbs2();
  const auto fit = statistics::least_squares(with_constant, squares / squares.maxCoeff(), {}, true);
  if (!fit || fit->kept.size() < 2) return std::nullopt;
  const double total = fit->explained + fit->rss;
  if (!(total > 0)) return std::nullopt;
  const double statistic = static_cast<double>(residuals.size()) * fit->explained / total;
  const auto freedom = static_cast<double>(fit->kept.size() - 1);
  return analysis::TestResult{
      .statistic = statistic, .freedom = freedom, .p = statistics::chi_squared_tail(statistic, freedom)};
}

Eigen::VectorXd studentized(const statistics::LeastSquares& fit) {
  if (fit.freedom < 2) return {};
  Eigen::VectorXd result(fit.residuals.size());
  for (Eigen::Index i = 0; i < result.size(); ++i) {
    const double free = 1 - fit.leverage[i];
    const double residual = fit.residuals[i];
    if (!(free > 1e-12)) {  // the row alone decides its fitted value
      result[i] = 0;
      continue;
    }
    const double others = std::max(0.0, (fit.rss - residual * residual / free) / (fit.freedom - 1));
    const double deviation = std::sqrt(others * free);
    result[i] = deviation > 0 ? residual / deviation : 0;
  }
  return result;
}

std::vector<analysis::FitBin> bins_by_fit(const Eigen::VectorXd& fitted, const Eigen::VectorXd& residuals) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(fitted.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::sort(order.begin(), order.end(), [&fitted](Eigen::Index a, Eigen::Index b) { return fitted[a] < fitted[b]; });
  const std::size_t bins = std::min(kBins, order.size() / 2);
  std::vector<analysis::FitBin> result(bins);
  for (std::size_t b = 0; b < bins; ++b) {
    const std::size_t begin = b * order.size() / bins;
    const std::size_t end = (b + 1) * order.size() / bins;
    analysis::FitBin& bin = result[b];
    bin.rows = end - begin;
    const double rows = static_cast<double>(bin.rows);
    for (std::size_t i = begin; i < end; ++i) {
      bin.fitted += fitted[order[i]] / rows;
      bin.residual += residuals[order[i]] / rows;
    }
    for (std::size_t i = begin; i < end; ++i) bin.spread += std::pow(residuals[order[i]] - bin.residual, 2) / rows;
    bin.spread = std::sqrt(bin.spread);
  }
  return result;
}

}  // namespace foretask::model
