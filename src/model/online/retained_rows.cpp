// SPDX-License-Identifier: Apache-2.0
#include "model/online/retained_rows.hpp"

#include <algorithm>

namespace foretask::model {

void RetainedRows::add(const Observation& observation, bool stored) {
  if (latest_.size() < kLatest) {
    latest_.push_back({observation, stored, ++added_});
    return;
  }
  RetainedRow& oldest = latest_[next_];
  next_ = (next_ + 1) % kLatest;
  ++passed_;
  if (chosen_.size() < kChosen) {
    chosen_.push_back(oldest);
  } else if (const std::uint64_t place = random_.below(passed_); place < kChosen) {
    chosen_[place] = oldest;
  }
  oldest = {observation, stored, ++added_};
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
