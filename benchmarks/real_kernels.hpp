// SPDX-License-Identifier: Apache-2.0
// Kernels of real programs for benchmarks that time them one by one: tiled Cholesky, LU of blocks, sorting. Plain
// loops; matrices are square, row by row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace foretask::benchmarks {

class Matrix {
 public:
  explicit Matrix(std::size_t rows) : rows_(rows), values_(rows * rows) {}
  [[nodiscard]] std::size_t rows() const { return rows_; }
  double* operator[](std::size_t row) { return &values_[row * rows_]; }
  const double* operator[](std::size_t row) const { return &values_[row * rows_]; }

 private:
  std::size_t rows_;
  std::vector<double> values_;
};

// ---- Cholesky, lower triangles ----

// a = L L^T.
inline void potrf(Matrix& a) {
  for (std::size_t j = 0; j < a.rows(); ++j) {
    for (std::size_t k = 0; k < j; ++k)
      for (std::size_t i = j; i < a.rows(); ++i) a[i][j] -= a[i][k] * a[j][k];
    const double pivot = std::sqrt(a[j][j]);
    for (std::size_t i = j; i < a.rows(); ++i) a[i][j] /= pivot;
  }
}

// b = b L^-T.
inline void trsm(const Matrix& l, Matrix& b) {
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t j = 0; j < b.rows(); ++j) {
      double value = b[i][j];
      for (std::size_t k = 0; k < j; ++k) value -= b[i][k] * l[j][k];
      b[i][j] = value / l[j][j];
    }
}

// c -= a a^T, its lower triangle.
inline void syrk(const Matrix& a, Matrix& c) {
  for (std::size_t i = 0; i < c.rows(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double value = 0;
      for (std::size_t k = 0; k < c.rows(); ++k) value += a[i][k] * a[j][k];
      c[i][j] -= value;
    }
}

// c -= a b^T.
inline void gemm(const Matrix& a, const Matrix& b, Matrix& c) {
  for (std::size_t i = 0; i < c.rows(); ++i)
    for (std::size_t j = 0; j < c.rows(); ++j) {
      double value = 0;
      for (std::size_t k = 0; k < c.rows(); ++k) value += a[i][k] * b[j][k];
      c[i][j] -= value;
    }
}

// ---- LU without pivoting ----

// a = L U, L's diagonal being 1.
inline void lu0(Matrix& a) {
  for (std::size_t k = 0; k < a.rows(); ++k)
    for (std::size_t i = k + 1; i < a.rows(); ++i) {
      a[i][k] /= a[k][k];
      for (std::size_t j = k + 1; j < a.rows(); ++j) a[i][j] -= a[i][k] * a[k][j];
    }
}

// b = L^-1 b.
inline void fwd(const Matrix& lu, Matrix& b) {
  for (std::size_t k = 0; k < b.rows(); ++k)
    for (std::size_t i = k + 1; i < b.rows(); ++i)
      for (std::size_t j = 0; j < b.rows(); ++j) b[i][j] -= lu[i][k] * b[k][j];
}

// b = b U^-1.
inline void bdiv(const Matrix& lu, Matrix& b) {
  for (std::size_t i = 0; i < b.rows(); ++i)
    for (std::size_t k = 0; k < b.rows(); ++k) {
      b[i][k] /= lu[k][k];
      for (std::size_t j = k + 1; j < b.rows(); ++j) b[i][j] -= b[i][k] * lu[k][j];
    }
}

// c -= a b.
inline void bmod(const Matrix& a, const Matrix& b, Matrix& c) {
  for (std::size_t i = 0; i < c.rows(); ++i)
    for (std::size_t k = 0; k < c.rows(); ++k)
      for (std::size_t j = 0; j < c.rows(); ++j) c[i][j] -= a[i][k] * b[k][j];
}

// ---- Sorting ----

inline void sort_keys(std::vector<unsigned>& keys) { std::sort(keys.begin(), keys.end()); }

inline void merge_keys(const std::vector<unsigned>& a, const std::vector<unsigned>& b, std::vector<unsigned>& out) {
  out.resize(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin());
}

}  // namespace foretask::benchmarks
