// SPDX-License-Identifier: Apache-2.0
#include "predict/program/growth_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "predict/growth/fitted_laws.hpp"
#include "predict/growth/growth_law.hpp"
#include "predict/growth/size_levels.hpp"
#include "predict/program/bounds.hpp"
#include "predict/program/core_shape.hpp"
#include "predict/program/idle_laws.hpp"
#include "predict/program/kernel_works.hpp"
#include "predict/program/program_cells.hpp"
#include "statistics/quantile.hpp"

namespace foretask::predict {
namespace {

constexpr double kSurestWork = 0.01;  // the whole's law and the sum of its kernels' say the same thing twice
constexpr double kSpanNoise = 0.005;

class GrowthModel final : public FittedProgram {
 public:
  GrowthModel() = default;
  GrowthModel(std::optional<KernelWorks> kernels, std::shared_ptr<const ReplayedGraph> graph, GraphUse use,
              const MemorySlowdown* memory)
      : memory_(memory), kernels_(std::move(kernels)), graph_(std::move(graph)), use_(use) {}

  // False where there is no work to model.
  [[nodiscard]] bool fit(const std::vector<ProgramCell>& cells) {
    for (const ProgramCell& cell : cells) {
      if (sizes_.empty() || sizes_.back() != cell.n) sizes_.push_back(cell.n);
      if (!(cell.work > 0) || !(cell.time > 0)) return false;
    }
    cells_ = &cells;
    std::vector<double> workers;
    for (const ProgramCell& cell : cells) workers.push_back(cell.p);
    reach_ = worker_reach(workers);
    fit_work();
    fit_counts();
    if (std::all_of(cells.begin(), cells.end(), [](const ProgramCell& cell) { return cell.span > 0; })) fit_span();
    const DelayLaw::Known known{
        .create_task = create_.has_value(), .wait_tasks = wait_.has_value(), .span = span_.has_value()};
    delay_ = DelayLaw(cells, known, reach_);
    no_work_ = NoWorkLaw(cells, known.span, known.create_task, reach_);
    cells_ = nullptr;
    return true;
  }

  [[nodiscard]] ProgramParts at(double n, double p) const override {
    const ProgramParts parts = by_laws(n, p);
    return has_replays() && p > reach_ ? by_replays(by_laws(n, reach_), parts, p) : parts;
  }

  [[nodiscard]] std::string formula() const override {
    std::string text = kernels_ ? kernels_->formula() : "T1'(n) = " + work_->growth_text();
    const std::string inflation = work_->inflation_text();
    if (!kernels_ && !inflation.empty()) text += "; work = T1'" + inflation;
    if (create_) text += "; tasks = " + create_->formula();
    if (span_) text += "; span = " + span_->formula();
    if (span_ && !places_by_graph()) text += "; no_work at " + base::number_text(no_work_.place(), 2) + " of its bound";
    const double imbalanced = no_work_.imbalance().most_workers();
    if (const double share = no_work_.imbalance().at(imbalanced).share; share > 0)
      text += "; static loops' imbalance " + base::number_text(share, 2) +
              " of work at p = " + base::number_text(imbalanced, 10);
    if (places_by_graph()) text += "; no_work from replays of n = " + base::number_text(graph_->n, 10);
    if (has_replays())
      text += "; beyond p = " + base::number_text(reach_, 10) +
              " no_work and delay grow as in replays of n = " + base::number_text(graph_->n, 10);
    return text;
  }

 private:
  static double square(double value) { return value * value; }

  [[nodiscard]] bool has_replays() const { return graph_ && span_; }

  // What the runs say of this n and p.
  [[nodiscard]] ProgramParts by_laws(double n, double p) const {
    ProgramParts parts;
    parts.span = 0;
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
    const IdlePart delay = delay_.at({.create_task = parts.create_task,
                                      .wait_tasks = parts.wait_tasks,
                                      .span = parts.span,
                                      .log_sd = create_ ? create_->at(n).log_sd : 0},
                                     parts.work, p);
    const ReplayedGraph* const placed_by = use_ == GraphUse::kEverywhere ? graph_.get() : nullptr;
    const IdlePart no_work =
        span_ ? no_work_.with_span(parts.work, parts.span, span_sd, p, placed_by) : no_work_.without_span(n, p);
    parts.delay = delay.value;
    parts.no_work = no_work.value;
    parts.imbalance = no_work.imbalance;
    return finished(parts, variance + delay.variance + no_work.variance, p);
  }

  // Beyond their reach: what replays add from there on to what the runs say there (`known`). What those have that a
  // replay has not, or the other way, keeps its share of the work.
  [[nodiscard]] ProgramParts by_replays(const ProgramParts& known, ProgramParts parts, double p) const {
    constexpr double kRestSd = 0.5;
    const ReplayedIdle there = graph_->idle_at(reach_, known.work, known.span, known.create_task);
    const ReplayedIdle here = graph_->idle_at(p, parts.work, parts.span, parts.create_task);
    const double rest = (known.delay + known.no_work - there.delay - there.no_work) * parts.work / known.work;
    const double sd = known.log_sd * reach_ * known.time * parts.work / known.work;
    parts.delay = here.delay + rest;
    parts.no_work = here.no_work;
    parts.imbalance = here.imbalance;
    // What a replay has too much is taken from the delay first, and never below the work and the span law.
    const double least = p * lower_bound(parts.work, parts.span, p) - parts.work;
    if (parts.delay < 0) parts.no_work = std::max(parts.no_work + parts.delay, std::min(parts.no_work, least));
    parts.delay = std::max(parts.delay, 0.0);
    return finished(parts, square(sd) + square(here.sd) + square(kRestSd * rest), p);
  }

  [[nodiscard]] static ProgramParts finished(ProgramParts parts, double variance, double p) {
    const double total = parts.work + parts.delay + parts.no_work;
    parts.time = total / p;
    parts.log_sd = std::sqrt(variance) / total;
    return parts;
  }

  [[nodiscard]] bool places_by_graph() const { return graph_ && use_ == GraphUse::kEverywhere; }

  // What was counted of each kernel's memory traffic tells its inflation; the whole's is not counted.
  [[nodiscard]] LogEstimate work_at(double n, double p) const {
    if (!kernels_) return work_->at(n, p);
    return kernels_->has_counted_memory() ? kernels_->at(n, p)
                                          : joined(kernels_->at(n, p), work_->at(n, p), kSurestWork);
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

  const std::vector<ProgramCell>* cells_ = nullptr;  // this and the next: while it is fitted
  const MemorySlowdown* memory_ = nullptr;
  std::vector<double> sizes_;
  std::optional<WorkLaw> work_;
  std::optional<KernelWorks> kernels_;  // the work, where it is known by kernel
  std::shared_ptr<const ReplayedGraph> graph_;
  GraphUse use_ = GraphUse::kBeyond;
  std::optional<GrowthLaw> create_, wait_, span_;
  DelayLaw delay_;
  NoWorkLaw no_work_;
  double serial_ratio_ = 1;
  double reach_ = 1;  // worker_reach()
  double span_inflation_ = 1;
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
                                                        std::shared_ptr<const ReplayedGraph> graph, GraphUse use,
                                                        const MemorySlowdown* memory) {
  auto kernels = KernelWorks::find(runs, memory);
  const bool has_more = kernels || (graph && use == GraphUse::kEverywhere);
  if (!has_more) return Error{.what = "the runs have no kernel times"};
  return fitted(std::make_unique<GrowthModel>(std::move(kernels), std::move(graph), use, memory), runs);
}

}  // namespace foretask::predict
