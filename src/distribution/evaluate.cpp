// SPDX-License-Identifier: Apache-2.0
#include "distribution/evaluate.hpp"

#include <cmath>
#include <utility>

#include "distribution/combine.hpp"
#include "distribution/composite_law.hpp"
#include "distribution/expectation.hpp"
#include "distribution/family_law.hpp"
#include "distribution/order_map.hpp"
#include "distribution/parametric_law.hpp"
#include "distribution/random_loop.hpp"
#include "distribution/repeat.hpp"
#include "distribution/sum.hpp"

namespace foretask::distribution {

namespace {

constexpr std::size_t kMostFineSums = 400;  // with more of them the tables are coarse
constexpr double kFar = 1e6;                // copies beyond which a coarse table's end is too near

class Evaluation {
 public:
  Evaluation(const Program& program, const std::vector<Value>& given)
      : program_(program), resolution_(resolution_for(program)), values_(program.steps.size()) {
    uses_.reserve(program.steps.size());
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
      uses_.push_back(program.steps[i].uses);
      values_[i] = given[i];
    }
  }

  Value run() {
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const Step& step = program_.steps[i];
      if (step.uses == 0 && i + 1 < program_.steps.size()) continue;  // nobody asks for it
      if (values_[i].law == nullptr) {
        values_[i] = value_of(step);
      }
      for (const Part& part : step.parts)
        if (--uses_[part.step] == 0) values_[part.step] = Value{};
    }
    return std::move(values_.back());
  }

  // All that need nothing that is left out, each with its table where a sum has asked for it.
  std::vector<Value> run_without(const std::vector<char>& leave_out) {
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const Step& step = program_.steps[i];
      if ((step.uses == 0 && i + 1 < program_.steps.size()) || leave_out[i] != 0) continue;
      if (values_[i].law == nullptr) values_[i] = value_of(step);
    }
    return std::move(values_);
  }

 private:
  [[nodiscard]] bool coarse() const { return &resolution_ != &kFine; }

  const TablePtr& table(std::size_t step) {
    Value& value = values_[step];
    if (value.table == nullptr) {
      value.table = table_of(value.law);
      if (value.table == nullptr) value.table = tabulated(*value.law, resolution_);
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
                           resolution_);
    }
  }

  Value sum(const Step& step) {
    const Part& first = step.parts[0];
    if (step.parts.size() == 1 && first.count == 1) return moved(values_[first.step], step.shift);
    Cumulants total{step.shift, 0, 0, 0};
    TablePtr sum;
    for (const Part& part : step.parts) {
      const Cumulants& one = values_[part.step].cumulants;
      TablePtr term = repeated_table(table(part.step), one, part.count, resolution_);
      if (sum == nullptr && step.shift != 0) term = moved_table(*term, step.shift);
      total = added(total, repeated(one, static_cast<double>(part.count)));
      sum = sum == nullptr ? term : sum_of(*sum, *term, total[0], total[1], resolution_);
    }
    return {sum, total, sum, false, 0};
  }

  Value moved(const Value& value, double by) {
    Cumulants cumulants = value.cumulants;
    cumulants[0] += by;
    if (value.exact && value.depth < kMostDepth)
      return {moved_law(value.law, by), cumulants, {}, true, value.depth + 1};
    const TablePtr made = value.table != nullptr ? value.table : tabulated(*value.law, resolution_);
    const TablePtr there = moved_table(*made, by);
    return {there, cumulants, there, false, 0};
  }

  Value branch(const Step& step) {
    std::vector<Component> parts;
    std::vector<std::pair<double, Cumulants>> cases;
    for (const Part& part : step.parts) {
      parts.push_back(component(part.step, part.share));
      cases.emplace_back(part.share, values_[part.step].cumulants);
    }
    const Cumulants cumulants = mixed(cases);
    return made(mixture_of(parts, resolution_), cumulants);
  }

  Value order(const Step& step) {
    const std::size_t of = step.parts[0].step;
    Value& x = values_[of];
    if ((coarse() && static_cast<double>(step.n) < kFar) || x.depth >= kMostDepth || !x.exact) {
      const TablePtr made =
          tabulated(*order_law(table(of), step.rank, step.n), static_cast<double>(step.n) < kFar ? resolution_ : kFine);
      return {made, cumulants_of_central(made->central_moments()), made, false, 0};
    }
    return {order_law(x.law, step.rank, step.n),
            cumulants_of(moments_of_order(*x.law, OrderMap(step.rank, step.n))),
            {},
            true,
            x.depth + 1};
  }

  Value extreme(const Step& step, bool last) {
    constexpr std::size_t kMostExact = 16;  // of different laws: the exact moments take time as their square
    std::vector<Component> parts;
    bool exact = !coarse() && step.parts.size() <= kMostExact;
    for (const Part& part : step.parts) {
      parts.push_back(component(part.step, static_cast<double>(part.count)));
      exact = exact && values_[part.step].exact;
    }
    Cumulants cumulants{NAN, NAN, NAN, NAN};
    if (exact) {
      std::vector<LawPtr> laws;
      std::vector<const Law*> pointers;
      for (const Part& part : step.parts) {
        laws.push_back(order_law(values_[part.step].law, last ? part.count : 1, part.count));
        pointers.push_back(laws.back().get());
      }
      cumulants = cumulants_of(extremes_of(pointers, last));
    }
    LawPtr law = extreme_of(parts, last, resolution_);
    if (!exact) {
      const TablePtr made_table = table_of(law);
      cumulants = made_table != nullptr ? cumulants_of_central(made_table->central_moments())
                                        : cumulants_of_central(central_moments(*law));
    }
    return made(std::move(law), cumulants);
  }

  Component component(std::size_t step, double share) {
    Value& value = values_[step];
    Component part;
    part.share = share;
    // What is built on a composite rests on its table, or a deep nest would ask itself through.
    part.law = value.exact && !(coarse() && value.law->costly()) ? value.law : LawPtr(table(step));
    part.smooth = [this, step] { return table(step); };
    return part;
  }

  static Value made(LawPtr law, const Cumulants& cumulants) {
    Value value{std::move(law), cumulants, {}, false, 0};
    value.table = table_of(value.law);
    value.exact = value.table == nullptr;  // a step function
    return value;
  }

  const Program& program_;
  const Resolution& resolution_;
  std::vector<Value> values_;
  std::vector<std::size_t> uses_;
};

}  // namespace

Value leaf_value(LawPtr law) {
  Value value;
  value.cumulants = cumulants_of(moments_of(*law));
  value.law = std::move(law);
  return value;
}

const Resolution& resolution_for(const Program& program) {
  if (program.sums <= kMostFineSums) return kFine;
  for (const Step& step : program.steps) {
    double copies = static_cast<double>(step.n);
    if (step.kind == NodeKind::all_of || step.kind == NodeKind::first_of)
      for (const Part& part : step.parts) copies += static_cast<double>(part.count);
    if (copies >= kFar) return kCoarseFar;
  }
  return kCoarse;
}

Value evaluate(const Program& program, const std::vector<Value>& given) { return Evaluation(program, given).run(); }

void evaluate_all(const Program& program, const std::vector<char>& leave_out, std::vector<Value>& given) {
  given = Evaluation(program, given).run_without(leave_out);
}

}  // namespace foretask::distribution
