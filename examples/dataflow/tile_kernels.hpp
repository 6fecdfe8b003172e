// SPDX-License-Identifier: Apache-2.0
// What the tiled factorizations have in common: a tile is b x b numbers, column by column.
#pragma once

#include <cmath>

namespace examples {

// target -= left * right, or left * right^T.
inline void subtract_product(const double* __restrict left, const double* __restrict right, double* __restrict target,
                             long b) {
  for (long j = 0; j < b; ++j)
    for (long k = 0; k < b; ++k) {
      const double factor = right[j * b + k];
      for (long i = 0; i < b; ++i) target[j * b + i] -= left[k * b + i] * factor;
    }
}
inline void subtract_product_transposed(const double* __restrict left, const double* __restrict right,
                                        double* __restrict target, long b) {
  for (long j = 0; j < b; ++j)
    for (long k = 0; k < b; ++k) {
      const double factor = right[k * b + j];
      for (long i = 0; i < b; ++i) target[j * b + i] -= left[k * b + i] * factor;
    }
}

// tile = L L^T, in its lower triangle.
inline void factorize_cholesky(double* tile, long b) {
  for (long k = 0; k < b; ++k) {
    const double pivot = std::sqrt(tile[k * b + k]);
    for (long i = k; i < b; ++i) tile[k * b + i] /= pivot;
    for (long j = k + 1; j < b; ++j)
      for (long i = j; i < b; ++i) tile[j * b + i] -= tile[k * b + i] * tile[k * b + j];
  }
}

// tile * L^-T, for the lower triangle of `diagonal`.
inline void solve_right_transposed(const double* __restrict diagonal, double* __restrict tile, long b) {
  for (long k = 0; k < b; ++k) {
    const double pivot = diagonal[k * b + k];
    for (long i = 0; i < b; ++i) tile[k * b + i] /= pivot;
    for (long j = k + 1; j < b; ++j) {
      const double factor = diagonal[k * b + j];
      for (long i = 0; i < b; ++i) tile[j * b + i] -= tile[k * b + i] * factor;
    }
  }
}

// tile = L U without pivoting, L with ones on its diagonal.
inline void factorize_lu(double* tile, long b) {
  for (long k = 0; k < b; ++k) {
    for (long i = k + 1; i < b; ++i) tile[k * b + i] /= tile[k * b + k];
    for (long j = k + 1; j < b; ++j)
      for (long i = k + 1; i < b; ++i) tile[j * b + i] -= tile[k * b + i] * tile[j * b + k];
  }
}

// L^-1 * tile, and tile * U^-1, for the factors in `diagonal`.
inline void solve_left(const double* __restrict diagonal, double* __restrict tile, long b) {
  for (long j = 0; j < b; ++j)
    for (long k = 0; k < b; ++k) {
      const double factor = tile[j * b + k];
      for (long i = k + 1; i < b; ++i) tile[j * b + i] -= diagonal[k * b + i] * factor;
    }
}
inline void solve_right(const double* __restrict diagonal, double* __restrict tile, long b) {
  for (long k = 0; k < b; ++k) {
    const double pivot = diagonal[k * b + k];
    for (long i = 0; i < b; ++i) tile[k * b + i] /= pivot;
    for (long j = k + 1; j < b; ++j) {
      const double factor = diagonal[j * b + k];
      for (long i = 0; i < b; ++i) tile[j * b + i] -= tile[k * b + i] * factor;
    }
  }
}

}  // namespace examples
