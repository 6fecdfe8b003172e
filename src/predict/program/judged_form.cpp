// SPDX-License-Identifier: Apache-2.0
#include "predict/program/judged_form.hpp"
#include "statistics/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace foretask::predict {
namespace {

constexpr double kMedianOfNormal = 0.6745;  // of |x|, x standard normal
constexpr double kLeastError = 1e-9;
constexpr double kLeastScale = 0.7;
constexpr double kMostScale = 4;

}  // namespace

double octaves_beyond(double n, double p, double largest_n, double most_workers) {
  return std::max(0.0, std::log2(n / largest_n)) + std::max(0.0, std::log2(p / most_workers));
}

JudgedForm::JudgedForm(const NamedForm& form, std::span<const analysis::ProgramRun> runs,
                       std::span<const HoldOut> splits)
    : name_(form.name), is_own_(form.is_own), error_(std::numeric_limits<double>::quiet_NaN()) {
  auto fitted = form.fit(runs);
  if (!fitted) {
    why_ = fitted.error().what;
    return;
  }
  fitted_ = *std::move(fitted);
  if (is_own_)
    offsets_ = RecordedOffsets(program_cells(runs), [this](double n, double p) { return fitted_->at(n, p).time; });
  measure_noise(runs);
  judge(form, splits);
}

// All parts alike, so that they go on adding up and the time stays above its bounds.
ProgramParts JudgedForm::at(double n, double p) const {
  ProgramParts parts = fitted_->at(n, p);
  const RecordedOffsets::Offset offset = offsets_.at(n, p);
  const double factor = std::exp(offset.log_ratio);
  for (double* part : {&parts.time, &parts.work, &parts.delay, &parts.no_work, &parts.span, &parts.imbalance})
    *part *= factor;
  parts.log_sd *= std::sqrt(1 - offset.known * offset.known);
  return parts;
}

// Of the runs of the upper third of the sizes around the prediction.
void JudgedForm::measure_noise(std::span<const analysis::ProgramRun> runs) {
  const std::vector<double> sizes = sizes_of(runs);
  const double from = sizes[sizes.size() - std::max<std::size_t>(1, (sizes.size() + 2) / 3)];
  std::vector<double> misses;
  for (const analysis::ProgramRun& run : runs)
    if (run.n >= from) {
      const double time = fitted_->at(run.n, run.p).time;
      misses.push_back(time > 0 ? std::abs(std::log(run.time / time)) : 1.0);
    }
  noise_ = statistics::median(misses) / kMedianOfNormal;
}

void JudgedForm::judge(const NamedForm& form, std::span<const HoldOut> splits) {
  double errors = 0, scales = 0, octaves = 0;
  std::size_t judged = 0, scaled = 0, far = 0;
  for (const HoldOut& split : splits) {
    auto fitted = form.fit(split.known);
    if (!fitted) is_judged_by_all_ = false;
    if (!fitted) continue;
    std::vector<double> shares, own, by_octave;
    for (const ProgramCell& cell : split.asked) {
      const ProgramParts parts = (*fitted)->at(cell.n, cell.p);
      if (!(parts.time > 0)) {
        shares.push_back(1);
        continue;
      }
      shares.push_back(std::abs(parts.time - cell.time) / cell.time);
      const double miss = std::abs(std::log(parts.time / cell.time));
      by_octave.push_back(miss / std::max(1.0, octaves_beyond(cell.n, cell.p, split.largest_n, split.most_workers)));
      if (parts.log_sd > 0) own.push_back(miss / std::hypot(noise_, parts.log_sd));
    }
    // No better than the runs agree with each other can a model be known to be.
    errors += std::log(std::max({statistics::median(shares), noise_ * kMedianOfNormal / 2, kLeastError}));
    ++judged;
    const auto square = [](double value) { return value * value; };
    if (!by_octave.empty()) octaves += square(statistics::median(by_octave) / kMedianOfNormal), ++far;
    if (!own.empty()) scales += square(statistics::median(own) / kMedianOfNormal), ++scaled;
  }
  if (judged != 0) error_ = std::exp(errors / static_cast<double>(judged));
  if (far != 0) per_octave_ = std::sqrt(octaves / static_cast<double>(far));
  if (scaled != 0) scale_ = std::clamp(std::sqrt(scales / static_cast<double>(scaled)), kLeastScale, kMostScale);
}

double JudgedForm::log_sd(const ProgramParts& parts, double octaves) const {
  if (parts.log_sd > 0) return std::hypot(std::max(scale_, 1.0) * noise_, scale_ * parts.log_sd);
  return std::hypot(noise_, per_octave_ * octaves);
}

}  // namespace foretask::predict
