// SPDX-License-Identifier: Apache-2.0
#include "predict/program/growth_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "predict/program/core_shape.hpp"
#include "predict/program/growth_law.hpp"
#include "predict/program/number_text.hpp"
#include "predict/program/program_cells.hpp"

namespace foretask::predict {
namespace {

// Runs that agree to this are of a table without noise.
constexpr double kNoNoise = 1e-6;
constexpr double kLeastNoise = 0.002;
constexpr double kUsualNoise = 0.01;       // where nothing was run twice
constexpr double kCountNoise = 1e-6;       // of numbers of tasks, beside rounding
constexpr double kDelayThatCounts = 0.02;  // of p * time
constexpr double kSpanNoise = 0.005;

Eigen::VectorXd work_columns(double p) { return Eigen::Vector3d(1, (p - 1) / p, p - 1); }

Eigen::VectorXd delay_columns(double create, double wait, double p) {
  Eigen::VectorXd row(6);
  row << create, create * (p - 1), create * (p - 1) / p, wait, wait * (p - 1), wait * (p - 1) / p;
  return row;
}

Eigen::VectorXd no_work_columns(double n, double p) {
  Eigen::VectorXd row(8);
  const double square = (p - 1) * (p - 1);
  const double log_n = std::max(std::log(n), 0.0);
  row << square, square * n, square * n * log_n, square * n * n, p - 1, (p - 1) * n, (p - 1) * n * log_n,
      (p - 1) * n * n;
  return row;
}

// Of a greedy schedule without delay: no less than the one, no more than the other (their eq. 1 and 2; Brent's).
struct GreedyTimes {
  double least;
  double most;
  GreedyTimes(double work, double span, double p)
      : least(std::max(work / p, span)), most(std::max(work / p + span * (p - 1) / p, least)) {}
};

class GrowthModel final : public FittedProgram {
 public:
  // False where there is no work to model.
  [[nodiscard]] bool fit(const std::vector<ProgramCell>& cells) {
    cells_ = &cells;
    for (const ProgramCell& cell : cells) {
      if (sizes_.empty() || sizes_.back() != cell.n) sizes_.push_back(cell.n);
      if (!(cell.work > 0) || !(cell.time > 0)) return false;
    }
    fit_work();
    fit_counts();
    if (std::all_of(cells.begin(), cells.end(), [](const ProgramCell& cell) { return cell.span > 0; })) fit_span();
    fit_delay();
    span_ ? fit_place() : fit_no_work();
    cells_ = nullptr;
    return true;
  }

  [[nodiscard]] ProgramParts at(double n, double p) const override {
    ProgramParts parts;
    const auto serial = work_->at(n);
    const auto inflation = inflation_at(p);
    parts.serial_work = serial.value;
    parts.work = serial.value * inflation.value;
    double variance = square(std::hypot(serial.log_sd, inflation.log_sd) * parts.work);
    parts.create_task = create_ ? create_->at(n).value : 0;
    parts.wait_tasks = wait_ ? wait_->at(n).value : 0;
    if (delay_) {
      const auto delay = delay_->at(delay_columns(parts.create_task, parts.wait_tasks, p));
      const double counts = create_ ? create_->at(n).log_sd : 0;
      parts.delay = delay.value;
      variance += square(std::hypot(delay.log_sd, counts) * delay.value);
    }
    if (span_) {
      const auto span = span_->at(n);
      parts.span = span.value * std::pow(inflation.value, span_inflation_);
      const GreedyTimes times(parts.work, parts.span, p);
      const double width = times.most - times.least;
      parts.no_work = std::max(p * (times.least + place_ * width) - parts.work, 0.0);
      variance += square(p * place_sd_ * width) + square(span.log_sd * parts.no_work);
    } else if (no_work_ && p > 1) {
      const auto no_work = no_work_->at(no_work_columns(n, p));
      parts.no_work = no_work.value;
      variance += square(no_work.log_sd * no_work.value);
    }
    const double total = parts.work + parts.delay + parts.no_work;
    parts.time = total / p;
    parts.log_sd = std::sqrt(variance) / total;
    return parts;
  }

  [[nodiscard]] std::string formula() const override {
    std::string text = "T1'(n) = " + work_->formula();
    if (inflation_) {
      const Eigen::VectorXd a = inflation_->coefficients();
      text +=
          "; work = T1' (1 + " + number_text(a(1) / a(0), 3) + " (p-1)/p + " + number_text(a(2) / a(0), 3) + " (p-1))";
    }
    if (create_) text += "; tasks = " + create_->formula();
    if (span_) text += "; span = " + span_->formula() + "; no_work at " + number_text(place_, 2) + " of its bound";
    return text;
  }

 private:
  static double square(double value) { return value * value; }

  [[nodiscard]] CoreShape::Estimate inflation_at(double p) const {
    if (!inflation_) return {1, 0};
    const auto estimate = inflation_->at(work_columns(p));
    return {estimate.value / one_worker_, estimate.log_sd};
  }

  // Index of the cell's size.
  [[nodiscard]] std::size_t size_of(const ProgramCell& cell) const {
    return static_cast<std::size_t>(std::lower_bound(sizes_.begin(), sizes_.end(), cell.n) - sizes_.begin());
  }

  // Mean over each size's cells of the logarithm of `value`.
  template <class Value>
  [[nodiscard]] std::vector<double> log_levels(Value value) const {
    std::vector<double> sums(sizes_.size()), counts(sizes_.size());
    for (const ProgramCell& cell : *cells_) {
      sums[size_of(cell)] += std::log(value(cell));
      counts[size_of(cell)] += 1;
    }
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] /= counts[i];
    return sums;
  }

  // Relative standard deviation of a cell's value around its size's level, over the upper third of the sizes; nothing
  // where no size has enough cells.
  template <class Value>
  [[nodiscard]] std::optional<double> spread(const std::vector<double>& levels, Value value, double parameters) const {
    const double from = sizes_[sizes_.size() - std::max<std::size_t>(1, (sizes_.size() + 2) / 3)];
    double sum = 0, cells = 0, free = -parameters;
    std::size_t last = sizes_.size();
    for (const ProgramCell& cell : *cells_) {
      if (cell.n < from) continue;
      sum += square(std::log(value(cell)) - levels[size_of(cell)]);
      cells += 1;
      free += size_of(cell) == last ? 1 : 0;
      last = size_of(cell);
    }
    if (free < 1) return std::nullopt;
    return std::sqrt(sum / free);
  }

  // T1'(n), and how the work grows with p: in turns, as each is seen through the other.
  void fit_work() {
    constexpr int kRounds = 3;
    std::vector<double> levels;
    const auto per_inflation = [this](const ProgramCell& cell) { return cell.work / inflation_at(cell.p).value; };
    const bool has_workers = std::any_of(cells_->begin(), cells_->end(),
                                         [this](const ProgramCell& cell) { return cell.p != cells_->front().p; });
    for (int round = 0; round < kRounds; ++round) {
      levels = log_levels(per_inflation);
      if (!has_workers) break;
      CoreShape::Question question;
      const auto rows = static_cast<Eigen::Index>(cells_->size());
      question.columns.resize(rows, 3);
      question.values.resize(rows);
      question.least = Eigen::VectorXd::Zero(rows);
      question.keep_first = true;
      for (Eigen::Index row = 0; row < rows; ++row) {
        const ProgramCell& cell = (*cells_)[static_cast<std::size_t>(row)];
        question.columns.row(row) = work_columns(cell.p);
        question.values(row) = cell.work / std::exp(levels[size_of(cell)]);
        question.sizes.push_back(cell.n);
      }
      question.least_noise = kNoNoise;
      inflation_ = CoreShape::find(question);
      if (inflation_) one_worker_ = inflation_->at(work_columns(1)).value;
    }
    const double noise = spread(levels, per_inflation, 2).value_or(kUsualNoise);
    const double least = noise < kNoNoise ? kNoNoise : kLeastNoise;
    std::vector<SizeLevel> at_sizes;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      double cells = 0, serial = 0;
      for (const ProgramCell& cell : *cells_)
        if (cell.n == sizes_[i]) {
          cells += 1;
          serial = cell.serial_work;
        }
      // The serial run is one more measurement of the same, where it is another one than those with p = 1.
      const bool is_own = serial > 0 && !is_a_cell(sizes_[i], serial);
      const double level = is_own ? (levels[i] * cells + std::log(serial)) / (cells + 1) : levels[i];
      at_sizes.push_back({sizes_[i], std::exp(level), std::hypot(noise / std::sqrt(cells + (is_own ? 1 : 0)), least)});
    }
    work_ = GrowthLaw::find(std::move(at_sizes), GrowthKind::kCost);
  }

  [[nodiscard]] bool is_a_cell(double n, double serial_work) const {
    return std::any_of(cells_->begin(), cells_->end(), [&](const ProgramCell& cell) {
      return cell.n == n && cell.p == 1 && std::abs(cell.work - serial_work) <= 1e-9 * serial_work;
    });
  }

  [[nodiscard]] std::optional<GrowthLaw> count_law(double ProgramCell::*count) const {
    std::vector<SizeLevel> levels;
    for (const double n : sizes_) {
      std::vector<double> values;
      for (const ProgramCell& cell : *cells_)
        if (cell.n == n) values.push_back(cell.*count);
      std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
      const double value = values[values.size() / 2];
      if (!(value > 0)) return std::nullopt;
      constexpr double kRounding = 0.3;  // standard deviation of a uniform one
      levels.push_back({n, value, std::max(kRounding / value, kCountNoise)});
    }
    return GrowthLaw::find(std::move(levels), GrowthKind::kCount);
  }

  void fit_counts() {
    create_ = count_law(&ProgramCell::create_task);
    wait_ = count_law(&ProgramCell::wait_tasks);
  }

  // The span takes part of the work's inflation: what part is seen where p varies, else all of it.
  void fit_span() {
    const auto log_inflation = [this](const ProgramCell& cell) { return std::log(inflation_at(cell.p).value); };
    std::vector<double> spans = log_levels([](const ProgramCell& cell) { return cell.span; });
    std::vector<double> inflations = log_levels([&](const ProgramCell& cell) { return inflation_at(cell.p).value; });
    constexpr double kPrior = 0.04 * 0.04;  // of 2 % noise, and 50 % uncertainty of the part
    double xy = kPrior, xx = kPrior;
    for (const ProgramCell& cell : *cells_) {
      const double x = log_inflation(cell) - inflations[size_of(cell)];
      xx += x * x;
      xy += x * (std::log(cell.span) - spans[size_of(cell)]);
    }
    span_inflation_ = std::clamp(xy / xx, 0.0, 1.0);
    const auto at_one_worker = [&](const ProgramCell& cell) {
      return cell.span / std::exp(span_inflation_ * log_inflation(cell));
    };
    spans = log_levels(at_one_worker);
    const double noise = spread(spans, at_one_worker, 1).value_or(kUsualNoise);
    std::vector<SizeLevel> levels;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const auto cells = static_cast<double>(
          std::count_if(cells_->begin(), cells_->end(), [&](const ProgramCell& cell) { return cell.n == sizes_[i]; }));
      levels.push_back({sizes_[i], std::exp(spans[i]), std::hypot(noise / std::sqrt(cells), kSpanNoise)});
    }
    span_ = GrowthLaw::find(std::move(levels), GrowthKind::kCost);
  }

  void fit_delay() {
    if (!create_ && !wait_) return;
    CoreShape::Question question;
    const auto rows = static_cast<Eigen::Index>(cells_->size());
    question.columns.resize(rows, 6);
    question.values.resize(rows);
    question.least.resize(rows);
    question.least_noise = kNoNoise;
    for (Eigen::Index row = 0; row < rows; ++row) {
      const ProgramCell& cell = (*cells_)[static_cast<std::size_t>(row)];
      question.columns.row(row) = delay_columns(cell.create_task, cell.wait_tasks, cell.p);
      question.values(row) = cell.delay;
      question.least(row) = kDelayThatCounts * cell.p * cell.time;
      question.sizes.push_back(cell.n);
    }
    delay_ = CoreShape::find(question);
  }

  // Where a greedy schedule lies between its bounds, over the larger half of the sizes: where the bounds are far apart
  // counts most.
  void fit_place() {
    const double from = sizes_[sizes_.size() / 2];
    double weights = 0, sum = 0, squares = 0;
    for (const ProgramCell& cell : *cells_) {
      if (cell.p <= 1 || cell.n < from) continue;
      const GreedyTimes times(cell.work, cell.span, cell.p);
      const double width = times.most - times.least;
      if (!(width > 0)) continue;
      const double place = ((cell.work + cell.no_work) / cell.p - times.least) / width;
      const double weight = square(width / cell.time);
      weights += weight;
      sum += weight * place;
      squares += weight * place * place;
    }
    place_ = weights > 0 ? std::clamp(sum / weights, 0.0, 1.0) : 0.5;
    constexpr double kLeastSpread = 0.1;
    place_sd_ =
        weights > 0 ? std::max(std::sqrt(std::max(squares / weights - square(sum / weights), 0.0)), kLeastSpread) : 0.3;
  }

  void fit_no_work() {
    CoreShape::Question question;
    std::vector<const ProgramCell*> cells;
    for (const ProgramCell& cell : *cells_)
      if (cell.p > 1) cells.push_back(&cell);
    const auto rows = static_cast<Eigen::Index>(cells.size());
    question.columns.resize(rows, 8);
    question.values.resize(rows);
    question.least.resize(rows);
    question.least_noise = kNoNoise;
    for (Eigen::Index row = 0; row < rows; ++row) {
      const ProgramCell& cell = *cells[static_cast<std::size_t>(row)];
      question.columns.row(row) = no_work_columns(cell.n, cell.p);
      question.values(row) = cell.no_work;
      question.least(row) = kDelayThatCounts * cell.p * cell.time;
      question.sizes.push_back(cell.n);
    }
    if (rows > 0) no_work_ = CoreShape::find(question);
  }

  const std::vector<ProgramCell>* cells_ = nullptr;  // while it is fitted
  std::vector<double> sizes_;
  std::optional<GrowthLaw> work_, create_, wait_, span_;
  std::optional<CoreShape> inflation_, delay_, no_work_;
  double one_worker_ = 1;  // the inflation's value there
  double span_inflation_ = 1;
  double place_ = 0.5;
  double place_sd_ = 0.3;
};

}  // namespace

Result<std::unique_ptr<FittedProgram>> fit_growth_model(std::span<const analysis::ProgramRun> runs) {
  const std::vector<ProgramCell> cells = program_cells(runs);
  if (cells.size() < 2) return Error{.what = "one size on one number of workers"};
  auto model = std::make_unique<GrowthModel>();
  if (!model->fit(cells)) return Error{.what = "a run without work"};
  return std::unique_ptr<FittedProgram>(std::move(model));
}

}  // namespace foretask::predict
