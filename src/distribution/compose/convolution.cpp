// SPDX-License-Identifier: Apache-2.0
#include "distribution/compose/convolution.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "distribution/family/known_family.hpp"
#include "distribution/family/log_odds.hpp"

namespace foretask::distribution {
namespace {

constexpr std::size_t kFewKnots = 4;      // of A within an interval of B that is not divided: A is smooth there
constexpr std::size_t kMostCorners = 64;  // that corners of both make
constexpr std::size_t kMostSteps = 256;   // of a sum of two step functions that is kept as one

// HOT: in a form that compilers turn into vector code on any x86-64: no libm call, no branch.
// exp(x) to 2e-13 of itself; x in [-708, 700].
double quick_exp(double x) noexcept {
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to a whole number
  const double shifted = x * 1.4426950408889634 + kRound;
  const double k = shifted - kRound;
  const double r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
  double p = 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1;
  p = p * r + 1;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) + (std::bit_cast<std::uint64_t>(shifted) << 52U));
}

class SumOdds {
 public:
  SumOdds(const Table& a, const Table& b, const Precision& precision) : a_(a), b_(b), coarse_(precision.coarse()) {
    const std::vector<Knot>& knots = b.knots();
    for (std::size_t k = 0; k < knots.size(); ++k) {
      starts_.push_back(nodes_.size());
      // What is beyond the table's ends is theirs.
      const double atom =
          mass_between(k == 0 ? -kInfinity : knots[k].below, k + 1 == knots.size() ? kInfinity : knots[k].to);
      atoms_.push_back(atom);
      if (k + 1 < knots.size() && knots[k + 1].below > knots[k].to) b.add_nodes(k, knots[k].x, knots[k + 1].x, nodes_);
    }
    starts_.push_back(nodes_.size());
  }

  double operator()(double x, bool below) {
    x_.clear();
    mass_.clear();
    const std::vector<Knot>& b = b_.knots();
    const std::vector<Knot>& a = a_.knots();
    double f = 0;
    double rest = 0;
    std::size_t next = a.size();  // knots of A from here on are above x - b
    for (std::size_t k = 0; k < b.size(); ++k) {
      if (atoms_[k] > 0) {
        const double z = atom_odds(x, b[k].x, below);
        f += atoms_[k] * lower(z);
        rest += atoms_[k] * upper(z);
      }
      if (starts_[k + 1] == starts_[k]) continue;
      const double from = x - b[k + 1].x;
      const double to = x - b[k].x;
      while (next > 0 && a[next - 1].x >= to) --next;
      std::size_t inner = next;  // knots of A from here on, and below `next`, lie within
      bool corner = false;
      for (; inner > 0 && a[inner - 1].x > from; --inner) corner = corner || a[inner - 1].corner;
      const bool ends = (a_.low() > from && a_.low() < to) || (a_.high() > from && a_.high() < to);
      if (ends || corner || (next > inner + 1 && a[next - 1].to - a[inner].to > (coarse_ ? 2.5 : 1.2)) ||
          (!coarse_ && next > inner + kFewKnots)) {
        divide(k, x, inner, next);
      } else {
        for (std::size_t i = starts_[k]; i < starts_[k + 1]; ++i) add(x - nodes_[i].x, nodes_[i].mass);
      }
      next = inner;
    }
    gather(f, rest);
    return z_of(f, rest);
  }

 private:
  void add(double at, double mass) {
    x_.push_back(at);
    mass_.push_back(mass);
  }

  // Of values that rounding may have moved off A's atom.
  [[nodiscard]] double atom_odds(double x, double b, bool below) const {
    const double slack = 4e-16 * (std::fabs(x) + std::fabs(b));
    return a_.odds(x - b + (below ? -slack : slack), below);
  }

  // B's interval k, at A's knots.
  void divide(std::size_t k, double x, std::size_t inner, std::size_t next) {
    const std::vector<Knot>& a = a_.knots();
    double from = b_.knots()[k].x;
    const double end = b_.knots()[k + 1].x;
    const auto up_to = [&](double to) {
      to = std::min(to, end);
      if (!(to > from)) return;
      part_.clear();
      b_.add_nodes(k, from, to, part_);
      for (const Node& node : part_) add(x - node.x, node.mass);
      from = to;
    };
    if (std::isfinite(a_.high()) && a_.high() > a.back().x) up_to(x - a_.high());
    for (std::size_t i = next; i-- > inner;) up_to(x - a[i].x);
    if (std::isfinite(a_.low()) && a_.low() < a.front().x) up_to(x - a_.low());
    up_to(end);
  }

  // HOT: F and 1 - F, each a sum of positive terms.
  void gather(double& f, double& rest) {
    const std::size_t count = x_.size();
    z_.resize(count);
    a_.log_odds_falling(x_.data(), z_.data(), count);
    std::size_t split = 0;  // A's log odds fall
    while (split < count && z_[split] >= 0) ++split;
    for (std::size_t i = 0; i < count; ++i) x_[i] = quick_exp(-std::fabs(z_[i]));
    double more = 0;
    double less = 0;
    for (std::size_t i = 0; i < split; ++i) {
      const double part = mass_[i] / (1 + x_[i]);
      more += part;
      less += part * x_[i];
    }
    f += more;
    rest += less;
    more = less = 0;
    for (std::size_t i = split; i < count; ++i) {
      const double part = mass_[i] / (1 + x_[i]);
      more += part;
      less += part * x_[i];
    }
    rest += more;
    f += less;
  }

  const Table& a_;
  const Table& b_;
  bool coarse_;
  std::vector<double> atoms_;        // B's, by knot
  std::vector<Node> nodes_;          // B's, by interval
  std::vector<std::size_t> starts_;  // of the intervals' nodes
  std::vector<Node> part_;
  std::vector<double> x_;
  std::vector<double> mass_;
  std::vector<double> z_;
};

struct Corner {
  double x = 0;
  bool atom = false;
};

std::vector<Corner> corners_of(const Table& table) {
  std::vector<Corner> corners;
  for (const Knot& knot : table.knots())
    if (knot.corner) corners.push_back({knot.x, knot.to > knot.below});
  for (const double end : {table.low(), table.high()})
    if (std::isfinite(end) && end != table.knots().front().x && end != table.knots().back().x) corners.push_back({end});
  return corners;
}

bool steps_alone(const Table& table) {
  const std::vector<Knot>& knots = table.knots();
  for (std::size_t k = 0; k + 1 < knots.size(); ++k)
    if (knots[k + 1].below > knots[k].to) return false;
  return mass_between(-kInfinity, knots.front().below) == 0 && mass_between(knots.back().to, kInfinity) == 0;
}

// All sums of two atoms; null where they are too many.
TablePtr sum_of_steps(const Table& a, const Table& b) {
  if (a.knots().size() * b.knots().size() > 16 * kMostSteps) return nullptr;
  std::vector<Node> sums;
  for (const Knot& one : a.knots())
    for (const Knot& other : b.knots())
      sums.push_back({one.x + other.x, mass_between(one.below, one.to) * mass_between(other.below, other.to)});
  std::sort(sums.begin(), sums.end(), [](const Node& l, const Node& r) { return l.x < r.x; });
  const double close = 1e-12 * std::max(std::fabs(sums.front().x), std::fabs(sums.back().x));
  std::vector<Node> merged;
  for (const Node& sum : sums) {
    if (!merged.empty() && sum.x - merged.back().x <= close)
      merged.back().mass += sum.mass;
    else
      merged.push_back(sum);
  }
  if (merged.size() > kMostSteps) return nullptr;
  std::vector<Knot> knots;
  double f = 0;
  for (const Node& sum : merged) {
    const double below = knots.empty() ? -kInfinity : knots.back().to;
    f += sum.mass;
    knots.push_back({sum.x, below, f, true});
  }
  double rest = 0;
  for (std::size_t i = knots.size(); i-- > 0; rest += merged[i].mass) {
    knots[i].to = z_of(knots[i].to, rest);
    if (i + 1 < knots.size()) knots[i + 1].below = knots[i].to;
  }
  return std::make_shared<const Table>(std::move(knots), merged.front().x, merged.back().x);
}

// A little moved and stretched, so that mean and variance are as expected. A finite end stays where it is, and what is
// near it keeps its relative distance.
TablePtr matched(const TablePtr& table, const Cumulants& expected) {
  constexpr double kMostMoved = 0.05;
  constexpr double kLightTails = 50;  // excess: of heavier ones the table's own moments are not known as well
  if (!(std::fabs(expected[3]) < kLightTails * expected[1] * expected[1])) return table;
  std::vector<Knot> knots = table->knots();
  for (const Knot& knot : knots)
    if (knot.to > knot.below) return table;  // atoms stay
  const Cumulants has = cumulants_of(*table);
  const double sd = std::sqrt(has[1]);
  const double shift = expected[0] - has[0];
  const double stretch = std::sqrt(expected[1] / has[1]) - 1;
  if (!(sd > 0) || !(std::fabs(shift) <= kMostMoved * (table->quantile(2) - table->quantile(-2))) ||
      !(std::fabs(stretch) <= kMostMoved))
    return table;
  for (Knot& knot : knots) {
    double share = 1;
    if (std::isfinite(table->low())) share = std::min(share, (knot.x - table->low()) / (has[0] - table->low()));
    if (std::isfinite(table->high())) share = std::min(share, (table->high() - knot.x) / (table->high() - has[0]));
    knot.x += share * (shift + stretch * (knot.x - has[0]));
  }
  return std::make_shared<const Table>(std::move(knots), table->low(), table->high());
}

// How many of such a part, with the variance that they have together, make up a sum that is near enough to normal.
double crooked_variance(const Cumulants& one) {
  constexpr double kEnough = 900;  // of a part whose skewness and excess are about 1; the error goes as their 3/2 power
  constexpr double kUnknown = 1e4;  // where the fourth moment does not exist
  if (!std::isfinite(one[2])) return kInfinity;
  const double skewness2 = one[2] * one[2] / (one[1] * one[1] * one[1]);
  const double excess = std::isfinite(one[3]) ? std::fabs(one[3]) / (one[1] * one[1]) : kUnknown;
  return kEnough * std::max({1.0, skewness2, excess}) * one[1];
}

TablePtr near_normal_table(const Cumulants& cumulants, double low, double high) {
  static const TablePtr normal = tabulated(*make_family(Family::normal, 0, 1), kFine);
  const double sd = std::sqrt(cumulants[1]);
  const double g1 = cumulants[2] / (cumulants[1] * sd);
  const double g2 = std::isfinite(cumulants[3]) ? cumulants[3] / (cumulants[1] * cumulants[1]) : 0;
  std::vector<Knot> knots;
  for (Knot knot : normal->knots()) {
    const double w = knot.x;
    const double y = w + g1 * (w * w - 1) / 6 + g2 * (w * w * w - 3 * w) / 24 - g1 * g1 * (2 * w * w * w - 5 * w) / 36;
    knot.x = std::clamp(cumulants[0] + sd * y, low, high);
    if (knots.empty() || knot.x > knots.back().x) knots.push_back(knot);
  }
  return std::make_shared<const Table>(std::move(knots), low, high);
}

TablePtr constant_table(double value) {
  return std::make_shared<const Table>(std::vector<Knot>{{value, -kInfinity, kInfinity, true}}, value, value);
}

// Whether the sum of so many is normal but for what its cumulants to the fourth say (Cornish and Fisher 1938), to 1e-6
// of its standard deviation from 0.1 % to 99.9 %.
bool near_normal(const Cumulants& one, double count) { return one[1] > 0 && count * one[1] > crooked_variance(one); }

}  // namespace

TablePtr sum_of(const Table& a, const Table& b, const Cumulants& expected, const Precision& precision) {
  if (steps_alone(a) && steps_alone(b))
    if (TablePtr steps = sum_of_steps(a, b)) return steps;
  const bool swap = a.quantile(2) - a.quantile(-2) < b.quantile(2) - b.quantile(-2);
  SumOdds odds(swap ? b : a, swap ? a : b, precision);
  Outline outline;
  outline.low = a.low() + b.low();
  outline.high = a.high() + b.high();
  for (const double z : outline_odds(precision)) outline.values.push_back(a.quantile(z) + b.quantile(z));
  // What is a kink to both is smoother in the sum.
  const std::vector<Corner> of_a = corners_of(a);
  const std::vector<Corner> of_b = corners_of(b);
  if (of_a.size() * of_b.size() <= kMostCorners)
    for (const Corner& one : of_a)
      for (const Corner& other : of_b)
        (one.atom || other.atom ? outline.corners : outline.values).push_back(one.x + other.x);
  return matched(tabulated([&odds](double x, bool below) { return odds(x, below); }, std::move(outline), precision),
                 expected);
}

TablePtr moved(const Table& table, double by) {
  std::vector<Knot> knots = table.knots();
  for (Knot& knot : knots) knot.x += by;
  return std::make_shared<const Table>(std::move(knots), table.low() + by, table.high() + by);
}

const TablePtr& RunningSum::power(std::size_t k) {
  while (powers_.size() <= k) {
    const double times = std::exp2(static_cast<double>(powers_.size()));
    powers_.push_back(sum_of(*powers_.back(), *powers_.back(), repeated(cumulants_, times), precision_));
  }
  return powers_[k];
}

TablePtr RunningSum::up_to(std::uint64_t count) {
  if (count == 1) return powers_[0];
  const auto n = static_cast<double>(count);
  if (cumulants_[1] == 0) return constant_table(cumulants_[0] * n);
  const Table& one = *powers_[0];
  if (near_normal(cumulants_, n)) return near_normal_table(repeated(cumulants_, n), n * one.low(), n * one.high());
  std::uint64_t left = count - summed_;
  for (std::size_t k = 0; left != 0; ++k, left >>= 1U) {
    if ((left & 1U) == 0) continue;
    summed_ += std::uint64_t{1} << k;
    const Cumulants expected = repeated(cumulants_, static_cast<double>(summed_));
    sum_ = sum_ == nullptr ? power(k) : sum_of(*sum_, *power(k), expected, precision_);
  }
  return sum_;
}

TablePtr sum_of_all(std::vector<Term> terms, const Precision& precision) {
  // The first ones, by what each of them asks of the variance of all, as far as they are near normal together.
  const auto asks = [](const Term& term) { return term.cumulants[1] > 0 ? crooked_variance(term.cumulants) : 0; };
  std::stable_sort(terms.begin(), terms.end(), [&](const Term& a, const Term& b) { return asks(a) < asks(b); });
  std::size_t many = 0;
  double variance = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    variance += terms[i].count * terms[i].cumulants[1];
    if (variance > asks(terms[i])) many = i + 1;
  }
  Cumulants total{};
  double low = 0;
  double high = 0;
  TablePtr sum;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Term& term = terms[i];
    total = added(total, repeated(term.cumulants, term.count));
    if (i < many) {
      low += term.count * term.x->quantile(-kInfinity);
      high += term.count * term.x->quantile(kInfinity);
      if (i + 1 == many) sum = near_normal_table(total, low, high);
      continue;
    }
    const TablePtr part =
        RunningSum(term.table(), term.cumulants, precision).up_to(static_cast<std::uint64_t>(term.count));
    sum = sum == nullptr ? part : sum_of(*sum, *part, total, precision);
  }
  return sum;
}

}  // namespace foretask::distribution
