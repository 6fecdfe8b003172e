// SPDX-License-Identifier: Apache-2.0
#include "predict/program/no_work_law.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "predict/growth/noise_levels.hpp"
#include "predict/program/bounds.hpp"
#include "statistics/quantile.hpp"

namespace foretask::predict {
namespace {

double square(double value) { return value * value; }

Eigen::VectorXd columns_of(double n, double p) {
  Eigen::VectorXd row(8);
  const double others = square(p - 1);
  const double log_n = std::max(std::log(n), 0.0);
  row << others, others * n, others * n * log_n, others * n * n, p - 1, (p - 1) * n, (p - 1) * n * log_n,
      (p - 1) * n * n;
  return row;
}

}  // namespace

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

NoWorkLaw::NoWorkLaw(std::span<const ProgramCell> cells, bool has_span, bool has_tasks, double reach) : reach_(reach) {
  has_span ? find_place(cells, has_tasks) : find_shape(cells);
}

// Over the larger half of the sizes: where the bounds are far apart counts most.
void NoWorkLaw::find_place(std::span<const ProgramCell> cells, bool has_tasks) {
  const double from = larger_half(cells);
  if (!has_tasks) imbalance_ = StaticImbalance(cells, from);
  double weights = 0, sum = 0, squares = 0;
  for (const ProgramCell& cell : cells) {
    if (cell.p <= 1 || cell.n < from) continue;
    const GreedyTimes times(cell.work, cell.span, cell.p);
    const double width = times.most - times.least;
    if (!(width > 0)) continue;
    const double greedy = (cell.work + cell.no_work) / cell.p - imbalance_.at(cell.p).share * cell.work / cell.p;
    const double place = (greedy - times.least) / width;
    const double weight = square(width / cell.time);
    weights += weight;
    sum += weight * place;
    squares += weight * place * place;
  }
  if (!(weights > 0)) return;
  constexpr double kLeastSpread = 0.1;
  place_ = std::clamp(sum / weights, 0.0, 1.0);
  place_sd_ = std::max(std::sqrt(std::max(squares / weights - square(sum / weights), 0.0)), kLeastSpread);
}

void NoWorkLaw::find_shape(std::span<const ProgramCell> all) {
  CoreShape::Question question;
  std::vector<const ProgramCell*> cells;
  for (const ProgramCell& cell : all)
    if (cell.p > 1) cells.push_back(&cell);
  const auto rows = static_cast<Eigen::Index>(cells.size());
  question.columns.resize(rows, 8);
  question.values.resize(rows);
  question.least.resize(rows);
  question.least_noise = kNoNoise;
  for (Eigen::Index row = 0; row < rows; ++row) {
    const ProgramCell& cell = *cells[static_cast<std::size_t>(row)];
    question.columns.row(row) = columns_of(cell.n, cell.p);
    question.values(row) = cell.no_work;
    question.least(row) = kIdleThatCounts * cell.p * cell.time;
    question.sizes.push_back(cell.n);
  }
  if (rows > 0) shape_ = CoreShape::find(question);
}

IdlePart NoWorkLaw::with_span(double work, double span, double span_sd, double p, const ReplayedGraph* graph) const {
  const GreedyTimes times(work, span, p);
  const double width = times.most - times.least;
  const double place = graph != nullptr ? graph->at(p, work, span).place : place_;
  const auto [imbalance, imbalance_sd] = imbalance_.at(p);
  const double no_work = std::max(p * (times.least + place * width) - work, 0.0) + imbalance * work;
  return {.value = no_work,
          .variance = square(p * place_sd_ * width) + square(span_sd * no_work) + square(imbalance_sd * work),
          .imbalance = imbalance * work};
}

IdlePart NoWorkLaw::without_span(double n, double p) const {
  if (!shape_ || p <= 1) return {};
  // Beyond the reach in proportion to the other workers, of whom none may have anything to do.
  const double seen = std::min(p, std::max(reach_, 2.0));
  const auto no_work = shape_->at(columns_of(n, seen));
  const double value = no_work.value * (p - 1) / (seen - 1);
  return {.value = value, .variance = square(no_work.log_sd * value)};
}

}  // namespace foretask::predict
