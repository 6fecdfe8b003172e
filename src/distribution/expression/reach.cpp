// SPDX-License-Identifier: Apache-2.0
#include "distribution/expression/reach.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "distribution/family/log_odds.hpp"
#include "distribution/family/order_map.hpp"

namespace foretask::distribution {

namespace {

struct Rank {
  double rank = 1;
  double n = 1;
};

// Which of how many equal ones of `part` the step is after. The last of different ones is so of each alone: where they
// are alike, all their samples together reach as far as is asked.
Rank rank_of(const Step& step, const Part& part) {
  const auto count = static_cast<double>(part.count);
  switch (step.kind) {
    case NodeKind::order:
      return {static_cast<double>(step.rank), static_cast<double>(step.n)};
    case NodeKind::all_of:
      return {count, count};
    case NodeKind::first_of:
      return {1, count};
    default:
      return {};
  }
}

// 1 - (1 - p)^n.
double once_of(double p, double n) { return p < 1 ? -std::expm1(n * std::log1p(-p)) : 1; }

double share_of_step(const Step& step, const std::vector<double>& shares) {
  double none = 1;
  double all = 1;
  double mixed = 0;
  bool some = false;
  for (const Part& part : step.parts) {
    const double p = shares[part.step];
    const auto count = static_cast<double>(part.count);
    none *= 1 - once_of(p, count);
    mixed += (step.kind == NodeKind::branch ? part.share : 1) * p;
    if (p > 0) all *= std::pow(p, count);
    some = some || p > 0;
  }
  if (!some) return 0;
  switch (step.kind) {
    case NodeKind::order:
      // That n - rank + 1 of n are among the largest.
      return upper(OrderMap(step.rank, step.n).order_of(z_of(1 - mixed, mixed)));
    case NodeKind::first_of:
      return all;
    case NodeKind::branch:
      return mixed;
    case NodeKind::random_loop:
      return 1;
    default:
      return 1 - none;
  }
}

}  // namespace

void set_reaches(Program& program) {
  std::vector<Step>& steps = program.steps;
  std::vector<char> needed(steps.size(), 0);
  needed.back() = 1;
  for (std::size_t i = steps.size(); i-- > 0;) {
    if (needed[i] == 0) continue;
    const Step& step = steps[i];
    program.sums += step.parts.size();
    for (const Part& part : step.parts) {
      Step& of = steps[part.step];
      needed[part.step] = 1;
      ++of.uses;
      const auto [rank, n] = rank_of(step, part);
      const double share = step.kind == NodeKind::branch ? part.share : 1;
      // P(order statistic <= x) ~ (n F / rank)^rank far below, and likewise above.
      const double lower = n / rank * std::pow(step.lower_reach * share, 1 / rank);
      const double upper = n / (n - rank + 1) * std::pow(step.upper_reach * share, 1 / (n - rank + 1));
      of.lower_reach = std::max(of.lower_reach, lower);
      of.upper_reach = std::max(of.upper_reach, upper);
    }
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (needed[i] == 0) steps[i].uses = 0;
}

double share_of_answer(const Program& program, const std::vector<double>& shares) {
  std::vector<double> known = shares;
  for (std::size_t i = 0; i < program.steps.size(); ++i)
    if (!program.steps[i].parts.empty()) known[i] = share_of_step(program.steps[i], known);
  return known.back();
}

}  // namespace foretask::distribution
