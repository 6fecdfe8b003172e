// SPDX-License-Identifier: Apache-2.0
// The one table that sums, branches and extremes are worked out on: the distribution function at some hundred values,
// over log odds, so that both tails keep their digits; between them a monotone cubic; beyond them tails that go on as
// the outermost values do. An atom is a value with a jump, a gap an interval without probability.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "distribution/family/cumulants.hpp"
#include "distribution/family/univariate.hpp"

namespace foretask::distribution {

// Log odds of P(X < x) where `below`, else of P(X <= x).
using OddsOfX = std::function<double(double x, bool below)>;

struct Knot {
  double x = 0;
  double below = 0;     // log odds of P(X < x)
  double to = 0;        // of P(X <= x): more than `below` at an atom
  bool corner = false;  // the density may differ on its two sides
};

// A value that stands for a small part of the probability.
struct Node {
  double x = 0;
  double mass = 0;
};

class Table final : public Univariate {
 public:
  // Knots in order of x, at least one; log odds that fall are raised. `low` and `high`: the ends of the support,
  // infinite ones too.
  Table(std::vector<Knot> knots, double low, double high);

  [[nodiscard]] double quantile(double z) const override;
  [[nodiscard]] double odds(double x, bool below) const override;
  [[nodiscard]] std::vector<Piece> pieces() const override;

  // HOT: many at once, `x` falling: one walk over the knots. Infinite log odds come out as +-708.
  void log_odds_falling(const double* x, double* z, std::size_t count) const noexcept;

  [[nodiscard]] const std::vector<Knot>& knots() const noexcept { return knots_; }
  [[nodiscard]] double low() const noexcept { return low_; }
  [[nodiscard]] double high() const noexcept { return high_; }
  // Log odds within the interval from knot k to the next, and their slope.
  [[nodiscard]] double inside(std::size_t k, double x) const noexcept;
  [[nodiscard]] double slope(std::size_t k, double x) const noexcept;
  // Probability between two values of that interval, each with its log odds, as kNodes Gauss nodes.
  static constexpr std::size_t kNodes = 3;
  void add_nodes(std::size_t k, double from, double to, std::vector<Node>& nodes) const;

 private:
  // Of log odds over the way from the knot: x, or the logarithm of the distance from a finite end of the support, where
  // F is nearer to a power of it.
  struct Cubic {
    double c1 = 0;
    double c2 = 0;
    double c3 = 0;
    double end = kInfinity;  // the end; none: infinity
    double start = 0;        // logarithm of the knot's distance from it
  };
  void set_cubics(std::size_t first, std::size_t last);
  void set_cubic(std::size_t k, double left, double right);
  [[nodiscard]] double way(std::size_t k, double x) const noexcept;
  [[nodiscard]] double below_first(double x) const noexcept;
  [[nodiscard]] double above_last(double x) const noexcept;

  std::vector<Knot> knots_;
  std::vector<Cubic> cubics_;
  double low_;
  double high_;
  double lower_slope_ = 0;  // dx/dz at the first and last knot; 0: nothing beyond it
  double upper_slope_ = 0;
  double lower_rate_ = 0;  // of an infinite tail whose x grows exponentially in z; 0: linearly
  double upper_rate_ = 0;
};

using TablePtr = std::shared_ptr<const Table>;

// Of a distribution that `odds` are known of, and a table: by quadrature of both tails between the table's knots, to
// 1e-12 where the table is fine. NaN for moments that do not exist.
[[nodiscard]] Cumulants cumulants_by_odds(const OddsOfX& odds, const Table& table);
// Of the table itself.
[[nodiscard]] Cumulants cumulants_of(const Table& table);

// How tables of distributions are made whose distribution function is known (tabulation.cpp).
struct Precision {
  double of_spread = 1e-7;  // error of values, in parts of the spread, where |z| < 8
  double of_odds = 1e-4;    // error of log odds further out
  double end = 24;          // |z| that a table goes to
  std::size_t most_knots = 600;
  [[nodiscard]] bool coarse() const noexcept { return of_spread > 1e-6; }
};
inline constexpr Precision kFine{};
inline constexpr Precision kCoarse{5e-4, 5e-2, 20, 60};
// As coarse, as far into the tails.
[[nodiscard]] inline Precision coarser(const Precision& precision) noexcept {
  Precision coarse = kCoarse;
  coarse.end = precision.end;
  return coarse;
}

// Where a table begins: values that are well spread over all of z, and those where the distribution function may jump
// or have a kink.
struct Outline {
  std::vector<double> values;
  std::vector<double> corners;
  double low = -kInfinity;  // the support
  double high = kInfinity;
};

// The log odds that values of an outline are best chosen at.
[[nodiscard]] std::vector<double> outline_odds(const Precision& precision);
// What `x` adds to the outline of a distribution that it is a part of: of these log odds each `stride`-th.
void add_outline(const Univariate& x, const Precision& precision, std::size_t stride, std::size_t first,
                 Outline& outline);

// By halving intervals until the cubic foresees the value in the middle of each. Some hundred values of `odds`.
[[nodiscard]] TablePtr tabulated(const OddsOfX& odds, Outline outline, const Precision& precision);
// Of a step function with many steps a smooth distribution, its wide gaps kept.
[[nodiscard]] TablePtr tabulated(const Univariate& x, const Precision& precision);

}  // namespace foretask::distribution
