// SPDX-License-Identifier: Apache-2.0
#include "predict/program/delay_law.hpp"

#include <algorithm>
#include <cmath>

#include "predict/growth/noise_levels.hpp"

namespace foretask::predict {
namespace {

constexpr double kTrusted = 0.05;  // noise around eq. 12 at which its growth with p is half believed

double square(double value) { return value * value; }

// Eq. 12's, and steals: a thief's tries end when the critical path does.
Eigen::VectorXd columns_of(const DelayLaw::Causes& causes, double p) {
  Eigen::VectorXd row(7);
  row << causes.create_task, causes.create_task * (p - 1), causes.create_task * (p - 1) / p, causes.wait_tasks,
      causes.wait_tasks * (p - 1), causes.wait_tasks * (p - 1) / p, causes.span * (p - 1);
  return row;
}

}  // namespace

DelayLaw::DelayLaw(std::span<const ProgramCell> cells, Known known, double reach) : reach_(reach) {
  CoreShape::Question question;
  const auto rows = static_cast<Eigen::Index>(cells.size());
  question.columns.resize(rows, 7);
  question.values.resize(rows);
  question.least.resize(rows);
  question.least_noise = kNoNoise;
  for (Eigen::Index row = 0; row < rows; ++row) {
    const ProgramCell& cell = cells[static_cast<std::size_t>(row)];
    question.columns.row(row) = columns_of({.create_task = known.create_task ? cell.create_task : 0,
                                            .wait_tasks = known.wait_tasks ? cell.wait_tasks : 0,
                                            .span = known.span ? cell.span : 0},
                                           cell.p);
    question.values(row) = cell.least_delay;
    question.least(row) = kIdleThatCounts * cell.p * cell.time;
    question.sizes.push_back(cell.n);
    most_workers_ = std::max(most_workers_, cell.p);
  }
  shape_ = CoreShape::find(question);
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

}  // namespace foretask::predict
