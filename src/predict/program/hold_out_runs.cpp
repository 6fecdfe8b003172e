// SPDX-License-Identifier: Apache-2.0
#include "predict/program/hold_out_runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace foretask::predict {
namespace {

using analysis::ProgramRun;

// What is left at least: a law of growth needs three sizes, one of workers two numbers of them.
constexpr std::size_t kFewestSizes = 3;
constexpr std::size_t kFewestWorkers = 2;

// The largest value that stays known when `share` of the values are held out, at least one; infinity where too few
// would be left.
double largest_known(const std::vector<double>& values, double share, std::size_t fewest) {
  const auto held =
      std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size()))));
  if (values.size() < fewest + held) return HUGE_VAL;
  return values[values.size() - held - 1];
}

// Of small inputs nothing is asked: nobody wants to know, and a model may well leave them out.
void add(std::span<const ProgramRun> runs, double n, double p, double from, std::vector<HoldOut>& all) {
  HoldOut split;
  std::vector<ProgramRun> asked;
  for (const ProgramRun& run : runs) {
    const bool is_known = run.n <= n && run.p <= p;
    if (is_known) {
      split.known.push_back(run);
      split.largest_n = std::max(split.largest_n, run.n);
      split.most_workers = std::max(split.most_workers, run.p);
    } else if (run.n >= from && (std::isinf(n) || run.n > n) && (std::isinf(p) || run.p > p)) {
      asked.push_back(run);
    }
  }
  if (split.known.empty() || asked.empty()) return;
  split.asked = program_cells(asked);
  all.push_back(std::move(split));
}

}  // namespace

std::vector<HoldOut> hold_outs(std::span<const ProgramRun> runs) {
  const std::vector<double> sizes = sizes_of(runs);
  const std::vector<double> workers = workers_of(runs);
  std::vector<HoldOut> all;
  const double from = sizes.empty() ? 0 : sizes[sizes.size() - (sizes.size() + 2) / 3];
  double last_n = HUGE_VAL, last_p = HUGE_VAL;
  struct Depth {
    double sizes;
    double workers;
  };
  for (const Depth depth : {Depth{0.2, 0.25}, Depth{0.4, 0.5}}) {
    const double n = largest_known(sizes, depth.sizes, kFewestSizes);
    const double p = largest_known(workers, depth.workers, kFewestWorkers);
    if (!std::isinf(n) && n != last_n) add(runs, n, HUGE_VAL, from, all);
    if (!std::isinf(p) && p != last_p) add(runs, HUGE_VAL, p, from, all);
    if (!std::isinf(n) && !std::isinf(p) && (n != last_n || p != last_p)) add(runs, n, p, from, all);
    last_n = n;
    last_p = p;
  }
  return all;
}

}  // namespace foretask::predict
