// SPDX-License-Identifier: Apache-2.0
#include "model/online/running_qr.hpp"

#include <cmath>
#include <cstdint>

namespace foretask::model {
namespace {

constexpr double kLargestGain = 1e8;
// Squares of more are no numbers.
constexpr double kLargest = 1e150;

// Zeroes `row`'s element `at` against the triangle's row `at`.
void rotate(std::array<double, RunningQr::kWidth>& r, std::array<double, RunningQr::kWidth>& row, std::size_t at,
            std::size_t end) noexcept {
  const double below = row[at];
  if (below == 0) return;
  const double length = std::sqrt(r[at] * r[at] + below * below);
  if (!(length > 0)) return;  // below 1e-160
  const double c = r[at] / length;
  const double s = below / length;
  r[at] = length;
  for (std::size_t j = at + 1; j < end; ++j) {
    const double upper = r[j];
    const double lower = row[j];
    r[j] = c * upper + s * lower;
    row[j] = c * lower - s * upper;
  }
}

// A triangle without the columns that depend on those before them.
struct Reduced {
  RunningQr::Triangle r{};
  std::array<std::uint8_t, RunningQr::kMaxColumns> column{};  // of the original
  std::size_t columns = 0;
};

Reduced reduce(const RunningQr::Triangle& r, std::size_t columns) noexcept {
  Reduced kept;
  std::array<std::array<double, RunningQr::kWidth>, RunningQr::kWidth> left{};  // rows without a pivot
  std::size_t left_count = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    double length = 0;
    for (std::size_t i = 0; i <= j; ++i) length += r[i][j] * r[i][j];
    // What earlier columns, the dropped ones' rows included, leave of this one.
    double own = r[j][j] * r[j][j];
    for (std::size_t i = 0; i < left_count; ++i) own += left[i][j] * left[i][j];
    if (!(own > RunningQr::kDependent * RunningQr::kDependent * length)) {
      left[left_count++] = r[j];
      continue;
    }
    std::array<double, RunningQr::kWidth> pivot = r[j];
    for (std::size_t i = 0; i < left_count; ++i) rotate(pivot, left[i], j, columns + 1);
    kept.column[kept.columns] = static_cast<std::uint8_t>(j);
    kept.r[kept.columns++] = pivot;
  }
  return kept;
}

}  // namespace

void RunningQr::add(std::span<const double> row, double target, double weight) noexcept {
  std::array<double, kWidth> work;
  const double factor = std::sqrt(weight) * gain_;
  for (std::size_t j = 0; j < columns_; ++j) work[j] = row[j] * factor;
  work[columns_] = target * factor;
  // All of a row or nothing of it.
  for (std::size_t j = 0; j <= columns_; ++j)
    if (!(std::abs(work[j]) <= kLargest)) return;
  for (std::size_t j = 0; j < columns_; ++j) rotate(r_[j], work, j, columns_ + 1);
  rows_ += 1;
}

void RunningQr::forget(double keep) noexcept {
  rows_ *= keep;
  gain_ /= std::sqrt(keep);
  if (gain_ < kLargestGain) return;
  for (auto& row : r_)
    for (double& value : row) value /= gain_;
  gain_ = 1;
}

void RunningQr::scale_target(double factor) noexcept {
  for (std::size_t i = 0; i < columns_; ++i) r_[i][columns_] *= factor;
}

RunningQr::Solution RunningQr::solve() const noexcept {
  const Reduced kept = reduce(r_, columns_);
  Solution solution;
  solution.rank = kept.columns;
  solution.deficient = kept.columns < columns_;
  for (std::size_t i = kept.columns; i-- > 0;) {
    double value = kept.r[i][columns_];
    for (std::size_t j = i + 1; j < kept.columns; ++j)
      value -= kept.r[i][kept.column[j]] * solution.coefficients[kept.column[j]];
    solution.coefficients[kept.column[i]] = value / kept.r[i][kept.column[i]];
  }
  return solution;
}

// Column by column: forward substitution in R^T z = e_k.
RunningQr::Whitening RunningQr::whitening() const noexcept {
  const Reduced kept = reduce(r_, columns_);
  Whitening result{};
  for (std::size_t k = 0; k < kept.columns; ++k) {
    for (std::size_t i = k; i < kept.columns; ++i) {
      double value = i == k ? gain_ : 0;
      for (std::size_t j = k; j < i; ++j) value -= kept.r[j][kept.column[i]] * result[kept.column[j]][kept.column[k]];
      result[kept.column[i]][kept.column[k]] = value / kept.r[i][kept.column[i]];
    }
  }
  return result;
}

RunningQr::Triangle RunningQr::triangle() const noexcept {
  Triangle result = r_;
  for (auto& row : result)
    for (double& value : row) value /= gain_;
  return result;
}

void RunningQr::restore(const Triangle& triangle, double rows) noexcept {
  r_ = triangle;
  gain_ = 1;
  rows_ = rows;
}

}  // namespace foretask::model
