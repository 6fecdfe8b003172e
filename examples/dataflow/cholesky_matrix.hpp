// SPDX-License-Identifier: Apache-2.0
// A symmetric, positive definite matrix in tiles, and whether a lower triangle is its Cholesky factor.
#pragma once

#include "common.hpp"
#include "dataflow/tiles.hpp"

namespace examples {

inline constexpr std::uint64_t kCholeskySeed = 24;

inline double cholesky_element(long i, long j, long order) {
  const auto place = static_cast<std::uint64_t>(std::max(i, j) * order + std::min(i, j));
  return 2 * examples::random_unit(kCholeskySeed, place) - 1 + (i == j ? static_cast<double>(order) : 0);
}

inline void fill_for_cholesky(Tiles& matrix) {
  const long order = matrix.order();
  for (long i = 0; i < order; ++i)
    for (long j = 0; j < order; ++j) matrix.at(i, j) = cholesky_element(i, j, order);
}

// L (L^T x) against A x for a random x, with A made anew.
inline bool is_cholesky_factor(Tiles& factor) {
  const long order = factor.order();
  const auto size = static_cast<std::size_t>(order);
  std::vector<double> x(size), ax(size), ltx(size), lltx(size);
  for (long i = 0; i < order; ++i) x[i] = 2 * random_unit(kCholeskySeed + 1, static_cast<std::uint64_t>(i)) - 1;
  for (long i = 0; i < order; ++i)
    for (long j = 0; j < order; ++j) {
      ax[i] += cholesky_element(i, j, order) * x[j];
      if (j >= i) ltx[i] += factor.at(j, i) * x[j];
    }
  for (long i = 0; i < order; ++i)
    for (long j = 0; j <= i; ++j) lltx[i] += factor.at(i, j) * ltx[j];
  return nearly_equal(lltx, ax, 1e-12);
}

}  // namespace examples
