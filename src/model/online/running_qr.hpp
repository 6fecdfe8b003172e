// SPDX-License-Identifier: Apache-2.0
// Weighted least squares, a row at a time: the triangular factor of the rows' QR decomposition, updated by Givens
// rotations (Golub and Van Loan, Matrix Computations, 5.1 and 6.5), which no scaling of the columns disturbs and which
// loses half as many digits as normal equations. Bounded memory. One thread; a row costs some 3 * columns^2 operations.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace foretask::model {

inline constexpr std::size_t kMaxLinearTerms = 16;

class RunningQr {
 public:
  static constexpr std::size_t kMaxColumns = kMaxLinearTerms;
  static constexpr std::size_t kWidth = kMaxColumns + 1;  // the target is the last column
  // A column that those before it explain up to this share of its length is left out: parameters that are equal up to
  // 1e-7 are the same.
  static constexpr double kDependent = 1e-6;

  explicit RunningQr(std::size_t columns) noexcept : columns_(columns) {}

  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }

  // Every value finite, `weight` above 0. A row with a value beyond 1e150 over the weight's root is left out.
  void add(std::span<const double> row, double target, double weight) noexcept;

  // All rows so far count `keep` times as much from now on, in (0, 1].
  void forget(double keep) noexcept;

  // As if every target so far had been `factor` times as large.
  void scale_target(double factor) noexcept;

  // Rows, less what was forgotten of them.
  [[nodiscard]] double rows() const noexcept { return rows_; }

  struct Solution {
    std::array<double, kMaxColumns> coefficients{};  // 0 where the column was left out
    std::size_t rank = 0;
    bool deficient = false;
  };
  [[nodiscard]] Solution solve() const noexcept;

  // R^-T, lower triangular, of the columns that were not left out (the others' rows are 0): what a prediction at `row`
  // adds to the noise's variance, the leverage, is |whitening * row|^2 times the row's weight.
  using Whitening = std::array<std::array<double, kMaxColumns>, kMaxColumns>;
  [[nodiscard]] Whitening whitening() const noexcept;

  // For the store: the triangle by rows, (columns + 1) * (columns + 2) / 2 values.
  using Triangle = std::array<std::array<double, kWidth>, kWidth>;
  [[nodiscard]] Triangle triangle() const noexcept;
  void restore(const Triangle& triangle, double rows) noexcept;

 private:
  std::size_t columns_;
  Triangle r_{};     // upper; all of it over gain_
  double gain_ = 1;  // forgetting makes later rows weigh more, and the triangle is divided when that grows large
  double rows_ = 0;
};

}  // namespace foretask::model
