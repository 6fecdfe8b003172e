// SPDX-License-Identifier: Apache-2.0
#include "distribution/compose/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "distribution/compose/combination.hpp"
#include "distribution/compose/convolution.hpp"
#include "distribution/compose/random_count.hpp"
#include "distribution/family/expectation.hpp"
#include "distribution/family/known_family.hpp"
#include "distribution/family/log_odds.hpp"
#include "distribution/family/order_map.hpp"
#include "statistics/root.hpp"

namespace foretask::distribution {
namespace {

constexpr double kNarrowRange = 256;  // of numbers that are looked at each by itself,
constexpr double kLargest = 1e6;      // unless they are larger
constexpr double kOfNoise = 0.4;      // of a sum's spread: what the next number may add to it
constexpr double kOfNumber = 0.1;     // of a number, at most
constexpr double kMostSummed = 1e18;

// From so many parts on, of these cumulants, the sum given their number n is near enough to
// n mean + sqrt(n) sd g + skewness sd (g^2 - 1) / 6, g normal, and rises with n at any g of a few.
double least_count(const Cumulants& body) {
  constexpr double kOfSpread = 38;    // so that the sum rises with n at 6 standard deviations
  constexpr double kOfSkewness = 11;  // so that the correction is a small one
  const double skewness2 = body[2] * body[2] / (body[1] * body[1] * body[1]);
  const double least = std::max(kOfSpread * body[1] / (body[0] * body[0]), kOfSkewness * skewness2);
  return std::isfinite(least) ? std::max(64.0, std::ceil(least)) : kInfinity;
}

// The sum of N parts, N the number `times`, given that it rounds to `from` >= least_count() or more. P(sum <= x) is
// that of N being small enough, averaged over g.
class CountedSum final : public Univariate {
 public:
  CountedSum(UnivariatePtr times, double from, const Cumulants& body)
      : times_(std::move(times)),
        start_(times_->log_odds_below(from - 0.5)),
        sign_(body[0] < 0 ? -1 : 1),
        mean_(std::fabs(body[0])),
        sd_(std::sqrt(body[1])),
        skewness_(sign_ * body[2] / (body[1] * sd_)) {
    constexpr double kStep = 0.25;
    constexpr double kEnd = 34;
    for (double z = -kEnd; z <= kEnd; z += kStep) noise_.push_back({normal_quantile(z), kStep * weight(z)});
    // The number's log odds given that it is `from` or more, at an even chance.
    const double middle = times_->quantile(z_of(lower(start_) + upper(start_) / 2, upper(start_) / 2));
    centre_ = mean_ * middle;
    spread_ = sd_ * std::sqrt(middle) + 1e-3 * centre_;
  }

  double odds(double x, bool) const override { return sign_ * unsigned_odds(sign_ * x); }

  double quantile(double z) const override {
    if (std::isinf(z)) return z;
    const auto off = [this, wanted = sign_ * z](double x) { return std::clamp(unsigned_odds(x) - wanted, -1e6, 1e6); };
    double from = centre_ - spread_;
    double to = centre_ + spread_;
    for (double step = spread_; off(from) > 0; step *= 2) from -= step;
    for (double step = spread_; off(to) < 0; step *= 2) to += step;
    return sign_ * statistics::root_between(off, from, to).value_or(to);
  }

 private:
  // Of the sum with its sign taken away.
  [[nodiscard]] double unsigned_odds(double x) const {
    double f = 0;
    double rest = 0;
    for (const Node& noise : noise_) {
      const double z = given(x, noise.x);
      f += noise.mass * lower(z);
      rest += noise.mass * upper(z);
    }
    return z_of(f, rest);
  }

  // The largest n, by its square root, that keeps the sum below x.
  [[nodiscard]] double given(double x, double g) const {
    const double left = x - skewness_ * sd_ * (g * g - 1) / 6;
    const double under = sd_ * sd_ * g * g + 4 * mean_ * left;
    if (!(under >= 0)) return -kInfinity;
    const double root = (-sd_ * g + std::sqrt(under)) / (2 * mean_);
    if (!(root > 0)) return -kInfinity;
    const double z = times_->log_odds(root * root);
    return z > start_ ? z_of(mass_between(start_, z), upper(z)) : -kInfinity;
  }

  UnivariatePtr times_;
  double start_;  // log odds of the number being below `from`
  double sign_;
  double mean_;
  double sd_;
  double skewness_;
  double centre_ = 0;
  double spread_ = 0;
  std::vector<Node> noise_;
};

struct Number {
  double count = 0;  // one, or in the middle of some
  double mass = 0;
};

// Which numbers of parts are summed up by themselves, those beside each other together where their sums are alike.
// Those beyond log odds of `tail` are too rare for a table.
struct Numbers {
  std::vector<Number> single;
  double from = kInfinity;  // those from here on are left to CountedSum
  double rest = 0;          // their mass
};

Numbers numbers_of(const Univariate& times, const Cumulants& body, double tail) {
  const double rare = std::exp(-tail);
  const double first = std::max(0.0, std::round(times.quantile(-tail)));
  const double last = std::max(first, std::round(times.quantile(tail)));
  const bool narrow = last - first < kNarrowRange && first < kLargest;
  const double least = least_count(body);
  const double noise = std::sqrt(body[1]) / std::fabs(body[0]);  // of one part, in parts
  Numbers numbers;
  double before = -kInfinity;
  double count = first;
  while (count <= last && (narrow || count < least)) {
    const double alike = std::min(kOfNoise * noise * std::sqrt(count), kOfNumber * count);
    // A power of two, so that few sums lead from one to the next.
    const double width = alike >= 2 && !narrow ? std::exp2(std::floor(std::log2(alike))) : 1;
    const bool end = count + width > last || count > kMostSummed;
    const double z = end ? kInfinity : times.log_odds_below(count + width - 0.5);
    const double mass = mass_between(before, z);
    if (mass >= rare) numbers.single.push_back({std::min(count + std::floor(width / 2), kMostSummed), mass});
    before = std::max(before, z);
    count += width;
    if (end) return numbers;
  }
  if (upper(before) >= rare) {
    numbers.from = count;
    numbers.rest = upper(before);
  }
  return numbers;
}

// The sum of a random number of independent ones of one distribution.
// `times` is rounded to whole numbers, and 0 below. Of small numbers the sum of each is a table, of larger ones that of
// some beside each other whose sums are alike; from where the sum of a number is near normal on, they are worked
// out at once. The cumulants are exact.
Value random_loop(const Value& times, const Value& body, const TablePtr& body_table, const Precision& wanted) {
  const Cumulants total = compounded(count_cumulants(*times.dist), body.cumulants);
  if (body.cumulants[1] == 0) {
    if (body.cumulants[0] == 0) return {make_family(Family::constant, 0), {0, 0, 0, 0}};
    if (times.depth < kMostDepth)
      return {rounded_count(times.dist, body.cumulants[0]), total, {}, times.exact, times.depth + 1};
    return {rounded_count(tabulated_count(times.dist), body.cumulants[0]), total, {}, times.exact, 1};
  }
  const Numbers numbers = numbers_of(*times.dist, body.cumulants, wanted.end);
  constexpr std::size_t kManyNumbers = 50;  // of which none matters by itself
  const Precision precision = numbers.single.size() > kManyNumbers ? coarser(wanted) : wanted;
  double mass = numbers.rest;
  for (const Number& number : numbers.single) mass += number.mass;
  std::vector<Component> parts;
  RunningSum sums(body_table, body.cumulants, precision);
  for (const Number& number : numbers.single) {
    if (number.count == 0) {
      parts.push_back({make_family(Family::constant, 0), number.mass / mass, nullptr});
      continue;
    }
    const TablePtr sum = sums.up_to(static_cast<std::uint64_t>(number.count));
    parts.push_back({sum, number.mass / mass, [sum] { return sum; }});
  }
  if (numbers.rest > 0) {
    UnivariatePtr many = std::make_shared<const CountedSum>(times.dist, numbers.from, body.cumulants);
    parts.push_back({many, numbers.rest / mass, [many, precision] { return tabulated(*many, precision); }});
  }
  if (parts.size() == 1) return {parts[0].x, total, {}, false, 0};
  const UnivariatePtr answer = branch_of(parts, precision);
  return {answer, total, table_of(answer), false, 0};
}

constexpr std::size_t kMostFineSums = 400;  // with more of them the tables are coarse
constexpr double kFar = 1e6;                // copies beyond which a coarse table is too coarse

class Evaluation {
 public:
  Evaluation(const Program& program, const std::vector<Value>& given, const Precision& precision)
      : program_(program), precision_(precision), many_sums_(program.sums > kMostFineSums), values_(given) {
    for (const Step& step : program.steps) uses_.push_back(step.uses);
  }

  // Each value as long as a later step needs it; of steps to leave out nothing, and of all others all are kept.
  std::vector<Value> run(const std::vector<char>* leave_out) {
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const Step& step = program_.steps[i];
      if (step.uses == 0 && i + 1 < program_.steps.size()) continue;  // nobody asks for it
      if (leave_out != nullptr && (*leave_out)[i] != 0) continue;
      if (values_[i].dist == nullptr) values_[i] = value_of(step);
      if (leave_out != nullptr) continue;
      for (const Part& part : step.parts)
        if (--uses_[part.step] == 0) values_[part.step] = Value{};
    }
    return std::move(values_);
  }

 private:
  const TablePtr& table(std::size_t step) {
    Value& value = values_[step];
    if (value.table == nullptr) {
      value.table = table_of(value.dist);
      if (value.table == nullptr) value.table = tabulated(*value.dist, precision_);
    }
    return value.table;
  }

  Value value_of(const Step& step) {
    switch (step.kind) {
      case NodeKind::constant:
        return {make_family(Family::constant, step.shift), {step.shift, 0, 0, 0}};
      case NodeKind::sequence:
        return sum(step);
      case NodeKind::branch:
        return branch(step);
      case NodeKind::order:
        return order(step);
      case NodeKind::all_of:
        return extreme(step, true);
      case NodeKind::first_of:
        return extreme(step, false);
      default:
        return random_loop(values_[step.parts[0].step], values_[step.parts[1].step], table(step.parts[1].step),
                           precision_);
    }
  }

  Value sum(const Step& step) {
    const Part& first = step.parts[0];
    if (step.parts.size() == 1 && first.count == 1) return shifted_value(values_[first.step], step.shift);
    Cumulants total{step.shift, 0, 0, 0};
    std::vector<Term> terms;
    for (const Part& part : step.parts) {
      const Value& value = values_[part.step];
      const auto count = static_cast<double>(part.count);
      terms.push_back({value.dist, value.cumulants, count, [this, at = part.step] { return table(at); }});
      total = added(total, repeated(value.cumulants, count));
    }
    const TablePtr all = sum_of_all(std::move(terms), precision_);
    return of_table(step.shift == 0 ? all : moved(*all, step.shift), total);
  }

  Value shifted_value(const Value& value, double by) {
    Cumulants cumulants = value.cumulants;
    cumulants[0] += by;
    if (value.exact && value.depth < kMostDepth) return {shifted(value.dist, by), cumulants, {}, true, value.depth + 1};
    return of_table(moved(value.table != nullptr ? *value.table : *tabulated(*value.dist, precision_), by), cumulants);
  }

  Value branch(const Step& step) {
    std::vector<Component> parts;
    std::vector<std::pair<double, Cumulants>> cases;
    for (const Part& part : step.parts) {
      parts.push_back(component(part.step, part.share));
      cases.emplace_back(part.share, values_[part.step].cumulants);
    }
    return made(branch_of(parts, precision_), mixed(cases));
  }

  Value order(const Step& step) {
    const std::size_t of = step.parts[0].step;
    Value& x = values_[of];
    const bool far = static_cast<double>(step.n) >= kFar;
    if ((many_sums_ && !far) || x.depth >= kMostDepth || !x.exact) {
      const TablePtr all = tabulated(*order_statistic(table(of), step.rank, step.n), precision_);
      return of_table(all, cumulants_of(*all));
    }
    return {order_statistic(x.dist, step.rank, step.n),
            cumulants_of_order(*x.dist, OrderMap(step.rank, step.n)),
            {},
            true,
            x.depth + 1};
  }

  Value extreme(const Step& step, bool last) {
    std::vector<Component> parts;
    for (const Part& part : step.parts) parts.push_back(component(part.step, static_cast<double>(part.count)));
    const UnivariatePtr answer = extreme_of(parts, last, precision_);
    const TablePtr near = table_of(answer);
    return made(answer, near != nullptr && many_sums_ ? cumulants_of(*near) : cumulants_of(*answer));
  }

  Component component(std::size_t step, double share) {
    Value& value = values_[step];
    Component part;
    part.share = share;
    // What is built on a formula rests on its table, or a deep nest would ask itself through.
    part.x = value.exact && !(many_sums_ && value.dist->costly()) ? value.dist : UnivariatePtr(table(step));
    part.smooth = [this, step] { return table(step); };
    return part;
  }

  static Value of_table(const TablePtr& table, const Cumulants& cumulants) {
    return {table, cumulants, table, false, 0};
  }

  static Value made(UnivariatePtr dist, const Cumulants& cumulants) {
    Value value{std::move(dist), cumulants, {}, false, 0};
    value.table = table_of(value.dist);
    value.exact = value.table == nullptr;  // a step function
    return value;
  }

  const Program& program_;
  Precision precision_;
  bool many_sums_;
  std::vector<Value> values_;
  std::vector<std::size_t> uses_;
};

}  // namespace

Value leaf_value(UnivariatePtr dist) {
  Value value;
  value.cumulants = cumulants_of(*dist);
  value.dist = std::move(dist);
  return value;
}

Precision precision_for(const Program& program) {
  constexpr double kRoom = 14;  // log odds beyond the middle of an extreme
  constexpr double kFarthest = 57;
  Precision precision = program.sums > kMostFineSums ? kCoarse : kFine;
  double reach = 1;
  for (const Step& step : program.steps) reach = std::max({reach, step.lower_reach, step.upper_reach});
  precision.end = std::min(kFarthest, std::max(precision.end, std::log(reach) + kRoom));
  return precision;
}

Value evaluate(const Program& program, const std::vector<Value>& given, const Precision& precision) {
  return std::move(Evaluation(program, given, precision).run(nullptr).back());
}

void evaluate_all(const Program& program, const std::vector<char>& leave_out, std::vector<Value>& given,
                  const Precision& precision) {
  given = Evaluation(program, given, precision).run(&leave_out);
}

}  // namespace foretask::distribution
