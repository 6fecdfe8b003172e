// SPDX-License-Identifier: Apache-2.0
#include "predict/program/judged_form.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "statistics/quantile.hpp"

namespace foretask::predict {
namespace {

constexpr double kFadingOctaves = 1;  // of n, within which an offset falls to exp(-1)

double nearness(double octaves) { return std::exp(-std::abs(octaves) / kFadingOctaves); }

using analysis::ProgramRun;

// What is left at least: a law of growth needs three sizes, one of workers two numbers of them.
constexpr std::size_t kFewestSizes = 3;
constexpr std::size_t kFewestWorkers = 2;

// The largest value that stays known when `share` of the values are held out, at least one; infinity where too few
// would be left.
double largest_known(const std::vector<double>& values, double share, std::size_t fewest) {
  const auto held =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size()))));
  if (values.size() < fewest + held) return HUGE_VAL;
  return values[values.size() - held - 1];
}

// Of small inputs nothing is asked: nobody wants to know, and a model may well leave them out.
void add(std::span<const ProgramRun> runs, double n, double p, double from, std::vector<HoldOut>& all) {
  HoldOut split;
  std::vector<ProgramRun> asked;
  for (const ProgramRun& run : runs) {
    const bool is_known = run.n <= n && run.p <= p;
    if (is_known) {
      split.known.push_back(run);
      split.largest_n = std::max(split.largest_n, run.n);
      split.most_workers = std::max(split.most_workers, run.p);
    } else if (run.n >= from && (std::isinf(n) || run.n > n) && (std::isinf(p) || run.p > p)) {
      asked.push_back(run);
    }
  }
  if (split.known.empty() || asked.empty()) return;
  split.asked = program_cells(asked);
  all.push_back(std::move(split));
}

constexpr double kMedianOfNormal = 0.6745;  // of |x|, x standard normal
constexpr double kLeastError = 1e-9;
constexpr double kLeastScale = 0.7;
constexpr double kMostScale = 4;

}  // namespace

RecordedOffsets::RecordedOffsets(std::span<const ProgramCell> cells,
                                 const std::function<double(double, double)>& time) {
  for (const ProgramCell& cell : cells)
    if (const double said = time(cell.n, cell.p); said > 0)
      lines_[std::log2(cell.p)][std::log2(cell.n)] = std::log(cell.time / said);
}

RecordedOffsets::Offset RecordedOffsets::along(const Line& line, double octave) {
  const auto above = line.lower_bound(octave);
  if (above == line.end() || (above == line.begin() && octave < above->first)) {
    const auto& [end, log_ratio] = above == line.end() ? *line.rbegin() : *above;
    return {log_ratio * nearness(octave - end), nearness(octave - end)};
  }
  if (above->first == octave) return {above->second, 1};
  const auto below = std::prev(above);
  const double share = (octave - below->first) / (above->first - below->first);
  return {below->second + share * (above->second - below->second),
          nearness(std::min(octave - below->first, above->first - octave))};
}

RecordedOffsets::Offset RecordedOffsets::at(double n, double p) const {
  const auto above = lines_.lower_bound(std::log2(p));
  if (above == lines_.end()) return {};
  const Offset high = along(above->second, std::log2(n));
  if (above->first == std::log2(p) || above == lines_.begin()) return above->first == std::log2(p) ? high : Offset{};
  const auto below = std::prev(above);
  const Offset low = along(below->second, std::log2(n));
  const double share = (std::log2(p) - below->first) / (above->first - below->first);
  return {low.log_ratio + share * (high.log_ratio - low.log_ratio), std::min(low.known, high.known) / 2};
}

std::vector<HoldOut> hold_outs(std::span<const ProgramRun> runs) {
  const std::vector<double> sizes = sizes_of(runs);
  const std::vector<double> workers = workers_of(runs);
  std::vector<HoldOut> all;
  const double from = sizes.empty() ? 0 : sizes[sizes.size() - (sizes.size() + 2) / 3];
  double last_n = HUGE_VAL, last_p = HUGE_VAL;
  struct Depth {
    double sizes;
    double workers;
  };
  for (const Depth depth : {Depth{0.2, 0.25}, Depth{0.4, 0.5}}) {
    const double n = largest_known(sizes, depth.sizes, kFewestSizes);
    const double p = largest_known(workers, depth.workers, kFewestWorkers);
    if (!std::isinf(n) && n != last_n) add(runs, n, HUGE_VAL, from, all);
    if (!std::isinf(p) && p != last_p) add(runs, HUGE_VAL, p, from, all);
    if (!std::isinf(n) && !std::isinf(p) && (n != last_n || p != last_p)) add(runs, n, p, from, all);
    last_n = n;
    last_p = p;
  }
  return all;
}

double octaves_beyond(double n, double p, double largest_n, double most_workers) {
  return std::max(0.0, std::log2(n / largest_n)) + std::max(0.0, std::log2(p / most_workers));
}

JudgedForm::JudgedForm(const ProgramForm& form, std::span<const analysis::ProgramRun> runs,
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

void JudgedForm::judge(const ProgramForm& form, std::span<const HoldOut> splits) {
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
