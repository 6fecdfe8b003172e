// SPDX-License-Identifier: Apache-2.0
#include "predict/program/static_imbalance.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "predict/program/bounds.hpp"
#include "statistics/quantile.hpp"

namespace foretask::predict {

// No greedy schedule needs more than `most`, but for what disturbs a run. Where one thread has all iterations the
// others wait (p - 1) times the work.
StaticImbalance::StaticImbalance(std::span<const ProgramCell> cells, double from) {
  constexpr double kDisturbed = 0.03;
  std::map<double, std::vector<double>> shares;
  for (const ProgramCell& cell : cells)
    if (cell.p > 1 && cell.n >= from)
      shares[cell.p].push_back((cell.work + cell.no_work) / cell.work -
                               cell.p * GreedyTimes(cell.work, cell.span, cell.p).most / cell.work);
  for (const auto& [p, of_sizes] : shares) {
    const double share = std::min(statistics::median(of_sizes), p - 1);
    double squares = 0;
    for (const double one : of_sizes) squares += (one - share) * (one - share) / static_cast<double>(of_sizes.size());
    by_workers_[p] = share > kDisturbed ? Share{share, std::sqrt(squares)} : Share{};
  }
}

StaticImbalance::Share StaticImbalance::at(double p) const {
  if (by_workers_.empty() || p <= 1) return {};
  const auto above = by_workers_.lower_bound(p);
  if (above != by_workers_.end() && above->first == p) return above->second;
  const auto& [recorded, known] = above == by_workers_.begin() ? *above : *std::prev(above);
  constexpr double kGuess = 0.2;
  const double share = known.share * ((p - 1) / p) / ((recorded - 1) / recorded);
  return {share, std::hypot(known.sd, kGuess * share)};
}

}  // namespace foretask::predict
