// SPDX-License-Identifier: Apache-2.0
// How a kernel's models take over a new level of speed.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "model/online/kernel_model.hpp"
#include "statistics/least_squares.hpp"
#include "statistics/quantile.hpp"

namespace foretask::model {
namespace {

// Mean of the ratios themselves, those beyond `spike` from the middle one drawn in.
double mean_factor(const std::vector<double>& log_ratios, double spike) {
  const double middle = statistics::median(log_ratios);
  double sum = 0;
  for (const double ratio : log_ratios) sum += std::exp(std::clamp(ratio, middle - spike, middle + spike));
  return sum / static_cast<double>(log_ratios.size());
}

// The change is of one kind: three quarters of the samples moved at least half as far as the middle one.
bool is_consistent(std::vector<double> ratios) {
  const double middle = statistics::median(ratios);
  const double weaker = middle > 0 ? statistics::quantile(ratios, 0.25) : -statistics::quantile(ratios, 0.75);
  return weaker >= 0.5 * std::abs(middle);
}

// A column for the analysis of covariance below: logarithms where there are any, mean 0, variance 1. Empty where it
// does not vary.
Eigen::VectorXd covariate(const std::vector<RetainedRow>& rows, std::size_t parameter) {
  const std::vector<double> column = column_of(rows, parameter);
  Eigen::ArrayXd values = Eigen::Map<const Eigen::ArrayXd>(column.data(), static_cast<Eigen::Index>(column.size()));
  if (values.minCoeff() > 0) values = values.log();
  const double middle = values.mean();
  values -= middle;
  const double deviation = std::sqrt(values.square().mean());
  if (!(deviation > 1e-9 * std::max(std::abs(middle), 1.0))) return {};
  return values / deviation;
}

// Whether the latest `count` rows are off where earlier rows with the like parameters were not: of parameters that were
// not seen together before, a model that does not fit there looks as if the kernel had changed. Analysis of covariance
// (Fisher 1932): a step at the latest rows, beside what the parameters and their squares explain. `ratios`: of all
// rows, the latest last.
bool is_beside_parameters(const std::vector<RetainedRow>& rows, std::size_t parameters,
                          const std::vector<double>& ratios, std::size_t count) {
  constexpr std::size_t kMostColumns = 14;
  constexpr std::size_t kRowsPerColumn = 2;
  constexpr double kTold = 3;  // standard errors
  const std::size_t before = rows.size() - count;
  std::vector<Eigen::VectorXd> columns;
  for (std::size_t i = 0; i < parameters; ++i)
    if (auto column = covariate(rows, i); column.size() > 0) columns.push_back(std::move(column));
  const std::size_t lines = columns.size();
  for (std::size_t i = 0; i < lines; ++i) columns.push_back(columns[i].cwiseAbs2());
  while (!columns.empty() && (columns.size() > kMostColumns || before < kRowsPerColumn * (columns.size() + 2)))
    columns.pop_back();
  const auto all = static_cast<Eigen::Index>(rows.size());
  const auto latest = static_cast<Eigen::Index>(count);
  const auto step = static_cast<Eigen::Index>(columns.size()) + 1;
  Eigen::MatrixXd design(all, step + 1);
  design.col(0).setOnes();
  for (std::size_t j = 0; j < columns.size(); ++j) design.col(static_cast<Eigen::Index>(j) + 1) = columns[j];
  design.col(step) << Eigen::VectorXd::Zero(all - latest), Eigen::VectorXd::Ones(latest);
  const auto fit = statistics::least_squares(design, Eigen::Map<const Eigen::VectorXd>(ratios.data(), all), {}, true);
  if (!fit || fit->kept.back() != step) return false;
  const auto last = static_cast<Eigen::Index>(fit->kept.size()) - 1;
  const double height = fit->coefficients[last];
  const double middle = statistics::median({ratios.end() - static_cast<std::ptrdiff_t>(count), ratios.end()});
  return height * middle > 0 && std::abs(height) >= 0.5 * std::abs(middle) &&
         std::abs(height) > kTold * fit->sigma * fit->unscaled_errors[last];
}

// Draws the values in to `reach` around the middle one.
void draw_in(std::span<double> values, double reach) {
  if (values.empty()) return;
  const double middle = statistics::median({values.begin(), values.end()});
  for (double& value : values) value = std::clamp(value, middle - reach, middle + reach);
}

}  // namespace

bool KernelModel::has_changed(std::size_t samples) const {
  const std::size_t count = std::clamp<std::size_t>(samples, 1, RetainedRows::kLatest);
  const std::vector<RetainedRow> rows = rows_.all();
  std::vector<RetainedRow> answered;
  std::vector<double> ratios;
  std::size_t latest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto time = answer_time(rows[i].observation.of(parameters()));
    if (!time) continue;
    answered.push_back(rows[i]);
    ratios.push_back(std::log(rows[i].observation.time / *time));
    if (i + count >= rows.size()) ++latest;
  }
  if (latest == 0) return false;
  const double spike = this->ratios(false).spike();
  draw_in(std::span(ratios).last(latest), spike);
  // Spikes, but not what earlier rows with the like parameters show as well.
  const double middle = statistics::median({ratios.end() - static_cast<std::ptrdiff_t>(latest), ratios.end()});
  draw_in(std::span(ratios).first(ratios.size() - latest), spike + std::abs(middle));
  return is_beside_parameters(answered, parameters(), ratios, latest);
}

// Each model by as much as it is itself off: one that has begun to follow needs less.
void KernelModel::take_over_change(std::size_t samples) {
  const std::size_t count = std::clamp<std::size_t>(samples, 1, RetainedRows::kLatest);
  const std::vector<RetainedRow> rows = rows_.latest(count);
  const auto answered = ratios_of(rows, parameters(), [this](Parameters p) { return answer_time(p); });
  const double spike = ratios(false).spike();
  known_ratios_.drop_latest(std::min(count, known_ratios_.count()));
  general_ratios_.drop_latest(std::min(count, general_ratios_.count()));
  const bool consistent = !answered.empty() && is_consistent(answered);
  const double factor = consistent ? mean_factor(answered, spike) : 1;
  const auto own_factor = [&](const auto& predict) {
    if (!consistent) return 1.0;
    const std::vector<double> ratios = ratios_of(rows, parameters(), predict);
    return ratios.empty() ? factor : mean_factor(ratios, spike);
  };
  const double weight = static_cast<double>(count);
  tuple_means_.rescale(own_factor([this](Parameters p) { return tuple_means_.predict(p); }), weight);
  for (const General which : kAllGenerals)
    rescale_general(which, own_factor([&](Parameters p) { return general_prediction(which, p); }), weight);
  if (!consistent) return;
  rows_.rescale(factor, count);
  ++changes_;
  changed_at_ = samples_;
}

// A change is told by a handful of samples, and the new level is as uncertain as their mean. What all samples since say
// of it together makes it more certain for those tuples, too, that have not been met since.
void KernelModel::refine_change() {
  const std::vector<RetainedRow> rows = rows_.latest(samples_ - changed_at_);
  const auto answered = ratios_of(rows, parameters(), [this](Parameters p) { return answer_time(p); });
  if (answered.empty()) return;
  rescale_all(mean_factor(answered, ratios(false).spike()), std::numeric_limits<double>::infinity());
}

}  // namespace foretask::model
