// SPDX-License-Identifier: Apache-2.0
#include "model/online/retained_rows.hpp"

#include "statistics/quantile.hpp"
#include "statistics/running_variance.hpp"

namespace foretask::model {

void RetainedRows::add(const Observation& observation, std::uint32_t region, bool stored) {
  if (latest_.size() < kLatest) {
    latest_.push_back({observation, stored, region, ++added_});
    return;
  }
  RetainedRow& oldest = latest_[next_];
  next_ = (next_ + 1) % kLatest;
  choose(oldest);
  oldest = {observation, stored, region, ++added_};
}

void RetainedRows::choose(const RetainedRow& row) {
  if (row.region >= regions_.size()) regions_.resize(row.region + std::size_t{1});
  Region& own = regions_[row.region];
  ++own.passed;
  if (chosen_.size() < kChosen) {
    chosen_.push_back(row);
    ++own.chosen;
    return;
  }
  const auto largest = std::max_element(regions_.begin(), regions_.end(),
                                        [](const Region& a, const Region& b) { return a.chosen < b.chosen; });
  if (own.chosen < largest->chosen) {
    chosen_of(static_cast<std::uint32_t>(largest - regions_.begin()), random_.below(largest->chosen)) = row;
    --largest->chosen;
    ++own.chosen;
  } else if (const std::uint64_t place = random_.below(own.passed); place < own.chosen) {
    chosen_of(row.region, place) = row;
  }
}

RetainedRow& RetainedRows::chosen_of(std::uint32_t region, std::size_t place) noexcept {
  auto row = chosen_.begin();
  for (;; ++row)
    if (row->region == region && place-- == 0) return *row;
}

std::vector<RetainedRow> RetainedRows::all() const {
  std::vector<RetainedRow> rows = chosen_;
  std::sort(rows.begin(), rows.end(), [](const RetainedRow& a, const RetainedRow& b) { return a.number < b.number; });
  const std::vector<RetainedRow> last = latest(kLatest);
  rows.insert(rows.end(), last.begin(), last.end());
  return rows;
}

std::vector<RetainedRow> RetainedRows::latest(std::size_t count) const {
  count = std::min(count, latest_.size());
  std::vector<RetainedRow> rows;
  rows.reserve(count);
  for (std::size_t i = latest_.size() - count; i < latest_.size(); ++i)
    rows.push_back(latest_[(next_ + i) % latest_.size()]);
  return rows;
}

void RetainedRows::rescale(double factor, std::size_t except) noexcept {
  for (RetainedRow& row : chosen_) row.observation.time *= factor;
  const std::size_t end = latest_.size() - std::min(except, latest_.size());
  for (std::size_t i = 0; i < end; ++i) latest_[(next_ + i) % latest_.size()].observation.time *= factor;
}

void RetainedRows::mark_stored() noexcept {
  for (RetainedRow& row : chosen_) row.stored = true;
  for (RetainedRow& row : latest_) row.stored = true;
}

double spike_of(std::vector<double> log_ratios) {
  for (double& ratio : log_ratios) ratio = std::abs(ratio);
  return std::max(3.5 * statistics::quantile_in_place(log_ratios, 0.75), 0.05);
}

Delays delays_of(const std::vector<double>& times, const std::vector<double>& log_ratios) {
  // So many long samples at least say how they came about; half of those outside of a 95 % interval.
  constexpr double kFew = 5;
  constexpr double kTail = 0.025;
  if (times.size() < RatioWindow::kMany) return {};
  const double spike = spike_of(log_ratios);
  std::vector<double> others;
  std::vector<double> held_up;
  statistics::RunningVariance by_ratio;
  statistics::RunningVariance by_time;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double longer = times[i] * (1 - std::exp(-log_ratios[i]));
    held_up.push_back(std::max(longer, 0.0));
    if (log_ratios[i] <= spike) {
      others.push_back(log_ratios[i]);
    } else {
      by_ratio.add(log_ratios[i]);
      by_time.add(std::log(longer));
    }
  }
  if (by_time.count() < kFew || others.empty() || by_time.variance() >= by_ratio.variance()) return {};
  return {statistics::quantile_in_place(held_up, 1 - kTail),
          {statistics::quantile_in_place(others, kTail), statistics::quantile_in_place(others, 1 - kTail)}};
}

std::vector<double> column_of(const std::vector<RetainedRow>& rows, std::size_t parameter) {
  std::vector<double> column;
  column.reserve(rows.size());
  for (const RetainedRow& row : rows) column.push_back(row.observation.parameters[parameter]);
  return column;
}

std::vector<double> times_of(const std::vector<RetainedRow>& rows) {
  std::vector<double> times;
  times.reserve(rows.size());
  for (const RetainedRow& row : rows) times.push_back(row.observation.time);
  return times;
}

}  // namespace foretask::model
