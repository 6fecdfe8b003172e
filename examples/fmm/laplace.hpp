// SPDX-License-Identifier: Apache-2.0
// The kernel log|z| and its expansions (Greengard and Rokhlin, A fast algorithm for particle simulations, 1987, lemmas
// 2.3 to 2.5), of `order` terms and a constant:
//   multipole  M_0 log(z - c) + sum over k of M_k (w / (z - c))^k   outside of a cell with centre c and width w
//   local      sum over l of L_l ((z - c) / w)^l                    inside of it
// With lengths in widths of the cell the operators are the same on all levels, and nothing overflows.
//
// All functions but the constructor may be called by several threads, for different targets.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace fmm {

// One cell's expansion: `order` + 1 real parts, then as many imaginary ones.
using Expansion = double*;
using ConstExpansion = const double*;

// A cell's place.
struct Box {
  double centre_x;
  double centre_y;
  double width;
};

// Some particles. `potential` is nullptr where they are only a source.
struct Points {
  const double* x;
  const double* y;
  const double* charge;
  double* potential;
  std::size_t count;
};

class Laplace {
 public:
  // Far cells differ by 2 or 3 in one coordinate and by up to 3 in the other.
  static constexpr int kReach = 3;

  explicit Laplace(int order);

  [[nodiscard]] int order() const { return order_; }
  // Numbers of an expansion.
  [[nodiscard]] std::size_t size() const { return 2 * static_cast<std::size_t>(terms_); }

  // Particles to the multipole of their cell.
  void p2m(const Box& box, const Points& points, Expansion multipole) const;
  // Child to parent. `corner`: 0 to 3, bit 0 for the right half, bit 1 for the upper one.
  void m2m(int corner, ConstExpansion child, Expansion parent) const;
  // To a cell of the same width from another one, which is dx and dy cells away (source less target).
  void m2l(int dx, int dy, double width, ConstExpansion multipole, Expansion local) const;
  // Parent to child.
  void l2l(int corner, ConstExpansion parent, Expansion child) const;
  // A cell's local expansion to its particles.
  void l2p(const Box& box, ConstExpansion local, const Points& points) const;
  // All pairs of a target and a source that are not at the same place.
  void p2p(const Points& targets, const Points& sources) const;

 private:
  using Complex = std::complex<double>;
  using Corner = std::vector<Complex>;  // triangular, row by row: to coefficient `row` from coefficient `column`

  int order_;
  int terms_;
  Corner to_parent_[4];
  Corner to_child_[4];
  std::vector<double> binomials_;        // row k: C(l + k - 1, k - 1) for l = 0 ...; row 0: -1 / l
  std::vector<Complex> inverse_powers_;  // of dx + i dy, a row of `terms_` for each offset
};

}  // namespace fmm
