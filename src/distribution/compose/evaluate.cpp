// SPDX-License-Identifier: Apache-2.0
#include "distribution/compose/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "distribution/compose/combination.hpp"
#include "distribution/compose/convolution.hpp"
#include "distribution/compose/random_loop.hpp"
#include "distribution/compose/sum_of_many.hpp"
#include "distribution/family/expectation.hpp"
#include "distribution/family/known_family.hpp"
#include "distribution/family/order_map.hpp"
#include "distribution/family/parametric.hpp"

namespace foretask::distribution {

namespace {

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
    const auto* const formula = dynamic_cast<const Combination*>(answer.get());
    if (formula == nullptr) return made(answer, integrated_cumulants(*answer));
    return made(answer, many_sums_ ? cumulants_of(*formula->table()) : *formula->cumulants());
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
