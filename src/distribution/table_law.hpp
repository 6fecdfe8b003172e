// SPDX-License-Identifier: Apache-2.0
// A law as a table: the quantile function and its inverse as monotone cubics between knots, atoms as flats, gaps as
// steps, and tails that go on as the last knots go.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "distribution/law.hpp"

namespace foretask::distribution {

struct Knot {
  double z = 0;
  double x = 0;
  bool corner = false;  // the slope may differ on its two sides
};

// Less, as a table's ends have where neighbouring doubles are all that is left, is no atom.
inline constexpr double kSomeMass = 1e-9;

class TableLaw final : public Law {
 public:
  // Knots in order: z and x do not fall (those that do, or are not finite, are left out). Two of the same x are an
  // atom, two of the same z a gap. `low` and `high` are the ends of the support, infinite ones too.
  TableLaw(std::vector<Knot> knots, double low, double high);

  [[nodiscard]] double quantile(double z) const override;
  [[nodiscard]] double log_odds(double x) const override;
  [[nodiscard]] double log_odds_below(double x) const override;
  [[nodiscard]] std::vector<Piece> pieces() const override;

  // HOT: many at once; `z` rising, `x` falling: one walk over the knots.
  void quantiles(const double* z, double* x, std::size_t count) const noexcept;
  // Infinities come out as +-708.
  void log_odds_falling(const double* x, double* z, std::size_t count) const noexcept;

  [[nodiscard]] const std::vector<Knot>& knots() const noexcept { return knots_; }
  [[nodiscard]] double low() const noexcept { return low_; }
  [[nodiscard]] double high() const noexcept { return high_; }
  // x - low goes as F to this power near a finite lower end (0: unknown or none), and likewise above.
  [[nodiscard]] double lower_power() const noexcept { return lower_power_; }
  [[nodiscard]] double upper_power() const noexcept { return upper_power_; }
  // The largest density; infinite where there is an atom.
  [[nodiscard]] double largest_density() const noexcept { return largest_density_; }

  // Mean and central moments to the fourth of the table itself; beyond |z| = 57 nothing is counted.
  [[nodiscard]] std::array<double, 4> central_moments() const;

 private:
  struct Interval {  // from its knot to the next
    double z, x;
    double q1, q2, q3;  // x(z) in powers of z - this z
    double p1, p2, p3;  // z(x)
  };
  void set_slopes(std::size_t first, std::size_t last);
  [[nodiscard]] double below_first(double z) const noexcept;
  [[nodiscard]] double above_last(double z) const noexcept;
  [[nodiscard]] double z_below_first(double x) const noexcept;
  [[nodiscard]] double z_above_last(double x) const noexcept;

  std::vector<Knot> knots_;
  std::vector<Interval> intervals_;
  double low_;
  double high_;
  double lower_slope_ = 0;  // dx/dz at the first and last knot
  double upper_slope_ = 0;
  double lower_rate_ = 0;  // of a tail that grows exponentially in z; 0: linear
  double upper_rate_ = 0;
  double lower_power_ = 0;
  double upper_power_ = 0;
  double largest_density_ = 0;
};

using TablePtr = std::shared_ptr<const TableLaw>;

}  // namespace foretask::distribution
