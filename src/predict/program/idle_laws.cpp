// SPDX-License-Identifier: Apache-2.0
#include "predict/program/idle_laws.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <vector>

#include "predict/growth/fitted_laws.hpp"
#include "predict/program/bounds.hpp"
#include "statistics/quantile.hpp"

namespace foretask::predict {
namespace {

constexpr double kTrusted = 0.05;  // noise around eq. 12 at which its growth with p is half believed

double square(double value) { return value * value; }

// How the idle time of cells goes with columns of theirs.
std::optional<CoreShape> shape_of(std::span<const ProgramCell> cells, double ProgramCell::*idle,
                                  const std::function<Eigen::VectorXd(const ProgramCell&)>& columns_of_cell) {
  CoreShape::Question question;
  const auto rows = static_cast<Eigen::Index>(cells.size());
  question.values.resize(rows);
  question.least.resize(rows);
  question.least_noise = kNoNoise;
  for (Eigen::Index row = 0; row < rows; ++row) {
    const ProgramCell& cell = cells[static_cast<std::size_t>(row)];
    const Eigen::VectorXd columns = columns_of_cell(cell);
    question.columns.conservativeResize(rows, columns.size());
    question.columns.row(row) = columns;
    question.values(row) = cell.*idle;
    question.least(row) = kIdleThatCounts * cell.p * cell.time;
    question.sizes.push_back(cell.n);
  }
  return CoreShape::find(question);
}

// Eq. 12's, and steals: a thief's tries end when the critical path does.
Eigen::VectorXd columns_of(const DelayLaw::Causes& causes, double p) {
  Eigen::VectorXd row(7);
  row << causes.create_task, causes.create_task * (p - 1), causes.create_task * (p - 1) / p, causes.wait_tasks,
      causes.wait_tasks * (p - 1), causes.wait_tasks * (p - 1) / p, causes.span * (p - 1);
  return row;
}

Eigen::VectorXd columns_of(double n, double p) {
  Eigen::VectorXd row(8);
  const double others = square(p - 1);
  const double log_n = std::max(std::log(n), 0.0);
  row << others, others * n, others * n * log_n, others * n * n, p - 1, (p - 1) * n, (p - 1) * n * log_n,
      (p - 1) * n * n;
  return row;
}

}  // namespace

DelayLaw::DelayLaw(std::span<const ProgramCell> cells, Known known, double reach) : reach_(reach) {
  for (const ProgramCell& cell : cells) most_workers_ = std::max(most_workers_, cell.p);
  shape_ = shape_of(cells, &ProgramCell::least_delay, [known](const ProgramCell& cell) {
    return columns_of({.create_task = known.create_task ? cell.create_task : 0,
                       .wait_tasks = known.wait_tasks ? cell.wait_tasks : 0,
                       .span = known.span ? cell.span : 0},
                      cell.p);
  });
  const double from = larger_half(cells);
  double delays = 0, works = 0;
  for (const ProgramCell& cell : cells)
    if (cell.p == most_workers_ && cell.n >= from) {
      delays += cell.delay / cell.work;
      works += 1;
    }
  share_ = works > 0 ? delays / works : 0;
}

// Beyond the recorded workers a delay that grows with p is a guess, and one that keeps its share of the workers' time
// another: from twice as many on, their geometric mean, or nearer to the first as the runs fit eq. 12 well.
double DelayLaw::towards_share(double delay, double work, double p) const {
  if (!(share_ > 0) || p <= most_workers_ || !(delay > 0)) return 1;
  const double trusted = square(kTrusted) / (square(kTrusted) + square(shape_->noise()));
  const double weight = (1 - trusted) / 2 * std::min(1.0, std::log2(p / most_workers_));
  return std::pow(share_ * work / delay, weight);
}

IdlePart DelayLaw::at(const Causes& causes, double work, double p) const {
  if (!shape_) {
    // Without anything that it grows with it keeps its share.
    const double delay = p > 1 ? share_ * work : 0;
    return {.value = delay, .variance = square(delay)};
  }
  const auto delay = shape_->at(columns_of(causes, std::min(p, reach_)));
  IdlePart part{.value = delay.value * towards_share(delay.value, work, p),
                .variance = square(std::hypot(delay.log_sd, causes.log_sd) * delay.value)};
  // It may as well go on growing: two standard deviations are as far as that.
  if (p > reach_) part.variance += square((shape_->at(columns_of(causes, p)).value - delay.value) / 2);
  return part;
}

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
  if (has_span) {
    find_place(cells, has_tasks);
    return;
  }
  std::vector<ProgramCell> several(cells.begin(), cells.end());
  std::erase_if(several, [](const ProgramCell& cell) { return cell.p <= 1; });
  shape_ = shape_of(several, &ProgramCell::no_work, [](const ProgramCell& cell) { return columns_of(cell.n, cell.p); });
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
