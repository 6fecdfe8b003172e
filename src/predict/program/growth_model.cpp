// SPDX-License-Identifier: Apache-2.0
#include "predict/program/growth_model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "predict/growth/growth_law.hpp"
#include "predict/growth/noise_levels.hpp"
#include "predict/growth/size_levels.hpp"
#include "predict/program/bounds.hpp"
#include "predict/program/core_shape.hpp"
#include "predict/program/kernel_works.hpp"
#include "predict/program/program_cells.hpp"
#include "predict/program/work_law.hpp"
#include "statistics/quantile.hpp"

namespace foretask::predict {
namespace {

constexpr double kDelayThatCounts = 0.02;  // of p * time
constexpr double kSurestWork = 0.01;       // the whole's law and the sum of its kernels' say the same thing twice
constexpr double kSpanNoise = 0.005;
constexpr double kTrustedDelay = 0.05;  // noise around eq. 12 at which its growth with p is half believed

// Eq. 12's, and steals: a thief's tries end when the critical path does.
Eigen::VectorXd delay_columns(double create, double wait, double span, double p) {
  Eigen::VectorXd row(7);
  row << create, create * (p - 1), create * (p - 1) / p, wait, wait * (p - 1), wait * (p - 1) / p, span * (p - 1);
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

class GrowthModel final : public FittedProgram {
 public:
  GrowthModel() = default;
  GrowthModel(std::optional<KernelWorks> kernels, std::shared_ptr<const ReplayedGraph> graph,
              const MemorySlowdown* memory)
      : memory_(memory), kernels_(std::move(kernels)), graph_(std::move(graph)) {}

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
    parts.delay = parts.no_work = parts.span = 0;
    const auto work = work_at(n, p);
    parts.serial_work =
        serial_ratio_ *
        (kernels_ ? joined(kernels_->serial(n), work_->serial(n), kSurestWork) : work_->serial(n)).value;
    parts.work = work.value;
    double variance = square(work.log_sd * work.value);
    parts.create_task = create_ ? create_->at(n).value : 0;
    parts.wait_tasks = wait_ ? wait_->at(n).value : 0;
    double span_sd = 0;
    if (span_) {
      const auto span = span_->at(n);
      parts.span = std::min(span.value * std::pow(work_->inflation(p).value, span_inflation_), parts.work);
      span_sd = span.log_sd;
    }
    if (delay_) {
      const auto delay = delay_->at(delay_columns(parts.create_task, parts.wait_tasks, parts.span, p));
      const double counts = create_ ? create_->at(n).log_sd : 0;
      parts.delay = delay.value * towards_share(delay.value, parts.work, p);
      variance += square(std::hypot(delay.log_sd, counts) * delay.value);
    } else if (p > 1) {
      // Without anything that it grows with it keeps its share.
      parts.delay = delay_share_ * parts.work;
      variance += square(parts.delay);
    }
    if (span_) {
      const GreedyTimes times(parts.work, parts.span, p);
      const double width = times.most - times.least;
      const double place = graph_ ? graph_->place_at(p, parts.work, parts.span) : place_;
      const auto [imbalance, imbalance_sd] = imbalance_at(p);
      parts.imbalance = imbalance * parts.work;
      parts.no_work = std::max(p * (times.least + place * width) - parts.work, 0.0) + parts.imbalance;
      variance += square(p * place_sd_ * width) + square(span_sd * parts.no_work) + square(imbalance_sd * parts.work);
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
    std::string text = kernels_ ? kernels_->formula() : "T1'(n) = " + work_->growth_text();
    const std::string inflation = work_->inflation_text();
    if (!kernels_ && !inflation.empty()) text += "; work = T1'" + inflation;
    if (create_) text += "; tasks = " + create_->formula();
    if (span_) text += "; span = " + span_->formula();
    if (span_ && !graph_) text += "; no_work at " + base::number_text(place_, 2) + " of its bound";
    if (!imbalances_.empty() && imbalances_.rbegin()->second.share > 0)
      text += "; static loops' imbalance " + base::number_text(imbalances_.rbegin()->second.share, 2) +
              " of work at p = " + base::number_text(imbalances_.rbegin()->first, 10);
    if (span_ && graph_) text += "; no_work from the replayed graph of n = " + base::number_text(graph_->n, 10);
    return text;
  }

 private:
  static double square(double value) { return value * value; }

  // What was counted of each kernel's memory traffic tells its inflation; the whole's is not counted.
  [[nodiscard]] LogEstimate work_at(double n, double p) const {
    if (!kernels_) return work_->at(n, p);
    return kernels_->has_counted_memory() ? kernels_->at(n, p)
                                          : joined(kernels_->at(n, p), work_->at(n, p), kSurestWork);
  }

  // Beyond the recorded workers a delay that grows with p is a guess, and one that keeps its share of the workers' time
  // another: from twice as many on, their geometric mean, or nearer to the first as the runs fit eq. 12 well.
  [[nodiscard]] double towards_share(double delay, double work, double p) const {
    if (!(delay_share_ > 0) || p <= most_workers_ || !(delay > 0)) return 1;
    const double trusted = square(kTrustedDelay) / (square(kTrustedDelay) + square(delay_->noise()));
    const double weight = (1 - trusted) / 2 * std::min(1.0, std::log2(p / most_workers_));
    return std::pow(delay_share_ * work / delay, weight);
  }

  void fit_work() {
    std::vector<WorkSample> samples;
    for (const ProgramCell& cell : *cells_)
      samples.push_back({cell.n, cell.p, cell.least_work, cell.create_task, cell.work_sd});
    serial_ratio_ = serial_ratio();
    double last = 0;
    for (const ProgramCell& cell : *cells_) {
      const bool is_first = cell.n != last;
      last = cell.n;
      // A serial run counts where it is another one than those with p = 1.
      if (is_first && cell.serial_work > 0 && !is_a_cell(cell.n, cell.serial_work))
        samples.push_back({cell.n, 0, cell.serial_work / serial_ratio_, cell.create_task});
    }
    work_ = WorkLaw::find(std::move(samples), memory_);
    memory_ = nullptr;
  }

  // T1' over the work with p = 1, where it is of another program, as one built without tasks: not within the noise.
  [[nodiscard]] double serial_ratio() const {
    constexpr double kNoise = 0.02;
    std::vector<double> ratios;
    for (const ProgramCell& cell : *cells_)
      if (cell.p == 1 && cell.serial_work > 0) ratios.push_back(cell.serial_work / cell.work);
    if (ratios.empty()) return 1;
    const double ratio = statistics::median(std::move(ratios));
    return std::abs(ratio - 1) > kNoise ? ratio : 1;
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
      const double value = statistics::median(std::move(values));
      // Small inputs may lie below a cut-off: the law is of those above.
      if (value > 0) {
        levels.push_back({.n = n, .value = value});
      } else {
        levels.clear();
      }
    }
    return levels.empty() ? std::nullopt : std::optional(GrowthLaw::of_counts(std::move(levels)));
  }

  void fit_counts() {
    create_ = count_law(&ProgramCell::create_task);
    wait_ = count_law(&ProgramCell::wait_tasks);
  }

  // The span takes part of the work's inflation: what part is seen where p varies, else all of it.
  void fit_span() {
    std::vector<double> sizes, spans, inflations;
    for (const ProgramCell& cell : *cells_) {
      sizes.push_back(cell.n);
      spans.push_back(cell.span);
      inflations.push_back(work_->inflation(cell.p).value);
    }
    const SizeLevels span_levels(sizes, spans), inflation_levels(sizes, inflations);
    constexpr double kPrior = 0.04 * 0.04;  // of 2 % noise, and 50 % uncertainty of the part
    double xy = kPrior, xx = kPrior;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::size_t size = span_levels.size_of(sizes[i]);
      const double x = std::log(inflations[i]) - inflation_levels.log_levels()[size];
      xx += x * x;
      xy += x * (std::log(spans[i]) - span_levels.log_levels()[size]);
    }
    span_inflation_ = std::clamp(xy / xx, 0.0, 1.0);
    for (std::size_t i = 0; i < sizes.size(); ++i) spans[i] /= std::pow(inflations[i], span_inflation_);
    const SizeLevels levels(sizes, spans);
    const double noise = levels.noise(1).value_or(kUsualNoise);
    std::vector<SizeLevel> at_sizes;
    for (std::size_t i = 0; i < levels.sizes().size(); ++i)
      at_sizes.push_back({levels.sizes()[i], std::exp(levels.log_levels()[i]),
                          std::hypot(noise / std::sqrt(levels.samples(i)), kSpanNoise)});
    span_ = GrowthLaw::find(std::move(at_sizes), GrowthKind::kCost);
  }

  void fit_delay() {
    CoreShape::Question question;
    const auto rows = static_cast<Eigen::Index>(cells_->size());
    question.columns.resize(rows, 7);
    const auto known = [](const std::optional<GrowthLaw>& law, double count) { return law ? count : 0; };
    question.values.resize(rows);
    question.least.resize(rows);
    question.least_noise = kNoNoise;
    for (Eigen::Index row = 0; row < rows; ++row) {
      const ProgramCell& cell = (*cells_)[static_cast<std::size_t>(row)];
      question.columns.row(row) =
          delay_columns(known(create_, cell.create_task), known(wait_, cell.wait_tasks), span_ ? cell.span : 0, cell.p);
      question.values(row) = cell.least_delay;
      question.least(row) = kDelayThatCounts * cell.p * cell.time;
      question.sizes.push_back(cell.n);
    }
    delay_ = CoreShape::find(question);
    // Of the most workers and the larger half of the sizes.
    double delays = 0, works = 0;
    for (const ProgramCell& cell : *cells_) most_workers_ = std::max(most_workers_, cell.p);
    for (const ProgramCell& cell : *cells_)
      if (cell.p == most_workers_ && cell.n >= sizes_[sizes_.size() / 2]) {
        delays += cell.delay / cell.work;
        works += 1;
      }
    delay_share_ = works > 0 ? delays / works : 0;
  }

  struct Imbalance {
    double share = 0;
    double sd = 0;
  };

  // What static loops of uneven iterations wait beyond a greedy schedule, as a share of the work. On other numbers of
  // workers than the recorded ones it goes with (p - 1) / p, as where the cost of iterations rises or falls evenly.
  [[nodiscard]] Imbalance imbalance_at(double p) const {
    if (imbalances_.empty() || p <= 1) return {};
    const auto above = imbalances_.lower_bound(p);
    if (above != imbalances_.end() && above->first == p) return above->second;
    const auto& [recorded, known] = above == imbalances_.begin() ? *above : *std::prev(above);
    constexpr double kGuess = 0.2;
    const double share = known.share * ((p - 1) / p) / ((recorded - 1) / recorded);
    return {share, std::hypot(known.sd, kGuess * share)};
  }

  // Of programs without tasks: no greedy schedule needs more than `most`, but for what disturbs a run. Where one thread
  // has all iterations the others wait (p - 1) times the work.
  void fit_imbalances(double from) {
    constexpr double kDisturbed = 0.03;
    if (create_) return;
    std::map<double, std::vector<double>> shares;
    for (const ProgramCell& cell : *cells_)
      if (cell.p > 1 && cell.n >= from)
        shares[cell.p].push_back((cell.work + cell.no_work) / cell.work -
                                 cell.p * GreedyTimes(cell.work, cell.span, cell.p).most / cell.work);
    for (const auto& [p, of_sizes] : shares) {
      const double share = std::min(statistics::median(of_sizes), p - 1);
      double squares = 0;
      for (const double one : of_sizes) squares += square(one - share) / static_cast<double>(of_sizes.size());
      imbalances_[p] = share > kDisturbed ? Imbalance{share, std::sqrt(squares)} : Imbalance{};
    }
  }

  // Where a greedy schedule lies between its bounds, over the larger half of the sizes: where the bounds are far apart
  // counts most.
  void fit_place() {
    const double from = sizes_[sizes_.size() / 2];
    fit_imbalances(from);
    double weights = 0, sum = 0, squares = 0;
    for (const ProgramCell& cell : *cells_) {
      if (cell.p <= 1 || cell.n < from) continue;
      const GreedyTimes times(cell.work, cell.span, cell.p);
      const double width = times.most - times.least;
      if (!(width > 0)) continue;
      const double greedy = (cell.work + cell.no_work) / cell.p - imbalance_at(cell.p).share * cell.work / cell.p;
      const double place = (greedy - times.least) / width;
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

  const std::vector<ProgramCell>* cells_ = nullptr;  // this and the next: while it is fitted
  const MemorySlowdown* memory_ = nullptr;
  std::vector<double> sizes_;
  std::optional<WorkLaw> work_;
  std::optional<KernelWorks> kernels_;  // the work, where it is known by kernel
  std::shared_ptr<const ReplayedGraph> graph_;
  std::optional<GrowthLaw> create_, wait_, span_;
  std::optional<CoreShape> delay_, no_work_;
  double serial_ratio_ = 1;
  double most_workers_ = 1;
  double delay_share_ = 0;  // delay over work, on the most workers
  double span_inflation_ = 1;
  std::map<double, Imbalance> imbalances_;  // by recorded p
  double place_ = 0.5;
  double place_sd_ = 0.3;
};

Result<std::unique_ptr<FittedProgram>> fitted(std::unique_ptr<GrowthModel> model,
                                              std::span<const analysis::ProgramRun> runs) {
  const std::vector<ProgramCell> cells = program_cells(runs);
  if (cells.size() < 2) return Error{.what = "all runs have the same size and number of workers"};
  if (!model->fit(cells)) return Error{.what = "a run has no work"};
  return std::unique_ptr<FittedProgram>(std::move(model));
}

}  // namespace

Result<std::unique_ptr<FittedProgram>> fit_growth_model(std::span<const analysis::ProgramRun> runs) {
  return fitted(std::make_unique<GrowthModel>(), runs);
}

Result<std::unique_ptr<FittedProgram>> fit_kernel_model(std::span<const analysis::ProgramRun> runs,
                                                        std::shared_ptr<const ReplayedGraph> graph,
                                                        const MemorySlowdown* memory) {
  auto kernels = KernelWorks::find(runs, memory);
  if (!kernels && !graph) return Error{.what = "the runs have no kernel times"};
  return fitted(std::make_unique<GrowthModel>(std::move(kernels), std::move(graph), memory), runs);
}

}  // namespace foretask::predict
