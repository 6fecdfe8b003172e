// SPDX-License-Identifier: Apache-2.0
#include "predict/program/program_model_impl.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "predict/program/bounds.hpp"
#include "predict/program/growth_model.hpp"
#include "predict/published/published_models.hpp"

namespace foretask::analysis {
namespace {

using predict::JudgedForm;
using predict::NamedForm;

// Left for another one of ours only where that is clearly better.
constexpr const char* kGrowth = "growth";
constexpr const char* kKernels = "kernels";
constexpr const char* kReplay = "replay";
constexpr double kClearlyBetter = 0.5;
constexpr std::size_t kSizesToCompare = 5;

constexpr double kInterval = 1.75;  // of 90 %: Student's t with some 15 degrees of freedom
constexpr double kFarSize = 64;
constexpr double kFarWorkers = 16;
constexpr double kLargeError = 0.3;

std::vector<NamedForm> all_forms(const ReplayGraph& replay, const std::optional<predict::MemorySlowdown>& memory) {
  using Fitted = Result<std::unique_ptr<predict::FittedProgram>>;
  std::vector<NamedForm> forms{{kGrowth, predict::fit_growth_model}};
  forms.push_back({kKernels, [replay, memory](std::span<const ProgramRun> runs) {
                     return predict::fit_kernel_model(runs, replay ? replay(runs) : nullptr, predict::GraphUse::kBeyond,
                                                      memory ? &*memory : nullptr);
                   }});
  for (const predict::ProgramForm& form : predict::published_models()) forms.push_back({form.name, form.fit, false});
  if (replay)
    forms.push_back({kReplay, [replay, memory](std::span<const ProgramRun> runs) -> Fitted {
                       auto graph = replay(runs);
                       if (!graph) return Error{.what = "the largest run cannot be replayed"};
                       return predict::fit_kernel_model(runs, std::move(graph), predict::GraphUse::kEverywhere,
                                                        memory ? &*memory : nullptr);
                     }});
  return forms;
}

// `wanted`: empty for any.
Result<void> find_form(std::span<const NamedForm> forms, const std::string& wanted) {
  std::string names;
  for (const NamedForm& form : forms) {
    if (wanted.empty() || form.name == wanted) return {};
    names += (names.empty() ? "" : ", ") + form.name;
  }
  return Error{.what = "there is no model '" + wanted + "'; there are " + names};
}

std::optional<predict::GrowthLaw> burdened_span_law(std::span<const ProgramRun> runs) {
  std::vector<predict::SizeLevel> levels;
  for (const predict::ProgramCell& cell : predict::program_cells(runs)) {
    if (!(cell.burdened_span > 0)) return std::nullopt;
    constexpr double kNoise = 0.02;
    if (levels.empty() || levels.back().n != cell.n) levels.push_back({cell.n, cell.burdened_span, kNoise});
  }
  return predict::GrowthLaw::find(std::move(levels), predict::GrowthKind::kCost);
}

}  // namespace

Result<std::unique_ptr<ProgramModel::Impl>> ProgramModel::Impl::fit(
    const ProgramTable& table, const ProgramModelOptions& options, const ReplayGraph& replay,
    const std::optional<predict::MemorySlowdown>& memory) {
  std::vector<NamedForm> forms = all_forms(replay, memory);
  if (const auto found = find_form(forms, options.model); !found) return found.error();
  // A published model answers only where it is asked for. All of them take some seconds.
  std::erase_if(forms, [&](const NamedForm& form) { return !form.is_own && form.name != options.model; });
  auto impl = std::make_unique<Impl>();
  impl->size_name_ = table.size_name;
  impl->sizes_ = predict::sizes_of(table.runs);
  impl->workers_ = predict::workers_of(table.runs);
  const std::vector<predict::HoldOut> splits = predict::hold_outs(table.runs);
  for (const NamedForm& form : forms) {
    impl->forms_.emplace_back(form, table.runs, splits);
    if (const JudgedForm& growth = impl->forms_.front(); !growth.is_fitted())
      return Error{.what = "the runs do not show how the program's time grows: " + growth.why()};
  }
  if (const auto chosen = impl->choose(options.model); !chosen) return chosen.error();
  impl->burdened_span_ = burdened_span_law(table.runs);
  impl->list_scores();
  return impl;
}

Result<void> ProgramModel::Impl::choose(const std::string& wanted) {
  if (!wanted.empty()) {
    const auto found =
        std::find_if(forms_.begin(), forms_.end(), [&](const JudgedForm& form) { return form.name() == wanted; });
    if (!found->is_fitted()) return Error{.what = wanted + " cannot be fitted to these runs: " + found->why()};
    chosen_ = static_cast<std::size_t>(found - forms_.begin());
    return {};
  }
  // `growth` is fitted, as the first; the others know more where the runs say it.
  chosen_ = 0;
  for (const char* const name : {kReplay, kKernels})
    for (std::size_t i = 0; i < forms_.size(); ++i)
      if (forms_[i].name() == name && forms_[i].is_fitted()) chosen_ = i;
  double least = kClearlyBetter * forms_[chosen_].error();
  for (std::size_t i = 0; i < forms_.size() && sizes_.size() >= kSizesToCompare; ++i) {
    const JudgedForm& form = forms_[i];
    if (!form.is_own() || !form.is_fitted() || !form.is_judged_by_all() || !(form.error() < least)) continue;
    least = form.error();
    chosen_ = i;
  }
  return {};
}

void ProgramModel::Impl::list_scores() {
  for (std::size_t i = 0; i < forms_.size(); ++i)
    scores_.push_back({forms_[i].name(), forms_[i].error(), i == chosen_ ? 1.0 : 0.0, forms_[i].why()});
  const auto rank = [](double error) { return std::isnan(error) ? HUGE_VAL : error; };
  std::stable_sort(scores_.begin(), scores_.end(), [&](const ProgramModelScore& a, const ProgramModelScore& b) {
    return rank(a.holdout_error) < rank(b.holdout_error);
  });
}

Result<ProgramPrediction> ProgramModel::Impl::predict(double n, double p) const {
  if (!(n > 0) || std::isinf(n)) return Error{.what = size_name_ + " has to be above 0"};
  if (!(p >= 1) || p != std::floor(p) || std::isinf(p)) return Error{.what = "p has to be a whole number from 1"};
  if (sizes_.size() == 1 && n != sizes_.front())
    return Error{.what = "all runs have " + size_name_ + " = " + base::number_text(sizes_.front(), 10) +
                         ", so the growth with it is not known. Record other sizes"};
  const JudgedForm& form = chosen();
  const predict::ProgramParts parts = form.at(n, p);
  if (!(parts.time > 0) || std::isinf(parts.time))
    return Error{.what = form.name() + " gives no time for " + size_name_ + " = " + base::number_text(n, 10)};
  const predict::ProgramParts growth = forms_.front().at(n, p);
  const auto known = [](double value, double other) { return std::isnan(value) ? other : value; };
  ProgramPrediction prediction;
  prediction.n = n;
  prediction.p = p;
  // The bounds are of the work and the span of the model that answers, where it knows them.
  const predict::ProgramParts& laws = std::isnan(parts.work + parts.span) ? growth : parts;
  prediction.lower_bound = predict::lower_bound(laws.work, laws.span, p);
  const double burdened = burdened_span_ ? std::max(burdened_span_->at(n).value, laws.span) : laws.span;
  prediction.upper_bound =
      std::max((burdened > 0 ? predict::upper_bound(laws.work, burdened, p) : laws.work) + laws.imbalance / p,
               prediction.lower_bound);
  // A published model, asked for by name, does not know these laws and says what it says.
  if (!form.is_own()) prediction.lower_bound = std::min(prediction.lower_bound, parts.time);
  prediction.time = parts.time;
  // What a model of the time alone does not say is the other's, in proportion.
  const double ratio = parts.time / growth.time;
  const bool has_parts = !std::isnan(parts.work + parts.delay + parts.no_work);
  prediction.work = has_parts ? parts.work : growth.work * ratio;
  prediction.delay = has_parts ? parts.delay : growth.delay * ratio;
  prediction.no_work = has_parts ? parts.no_work : growth.no_work * ratio;
  prediction.serial_work = known(parts.serial_work, growth.serial_work);
  prediction.create_task = known(parts.create_task, growth.create_task);
  prediction.span = known(parts.span, growth.span);
  const double sd = form.log_sd(parts, predict::octaves_beyond(n, p, sizes_.back(), workers_.back()));
  prediction.low = parts.time * std::exp(-kInterval * sd);
  prediction.high = parts.time * std::exp(kInterval * sd);
  if (workers_.size() == 1 && p > workers_.front()) {
    // Nothing is known of other numbers of workers but the laws.
    prediction.low = std::min(prediction.low, prediction.lower_bound);
    prediction.high = std::max(prediction.high, prediction.upper_bound + prediction.delay / p);
  }
  return prediction;
}

std::vector<std::string> ProgramModel::Impl::warnings(const std::vector<ProgramPoint>& questions) const {
  std::vector<std::string> all;
  const auto text = [](double value) { return base::number_text(value, 10); };
  double n = 0, p = 0;
  for (const ProgramPoint& question : questions) {
    n = std::max(n, question.n);
    p = std::max(p, question.p);
  }
  if (sizes_.size() == 1)
    all.push_back("all runs have " + size_name_ + " = " + text(sizes_.front()) +
                  ", so the growth with it is not known. Record other sizes");
  else if (sizes_.size() == 2)
    all.push_back("the runs have only two sizes, so growth by a power of " + size_name_ +
                  " is assumed. Record a third size");
  if (workers_.size() == 1)
    all.push_back("all runs have " + text(workers_.front()) + (workers_.front() == 1 ? " worker" : " workers") +
                  ". For other numbers, only the bounds of work and span are known. Record other numbers of workers");
  else if (p > kFarWorkers * workers_.back())
    all.push_back(text(p) + " workers are more than " + text(kFarWorkers) + " times those recorded (" +
                  text(workers_.back()) + ")");
  if (sizes_.size() > 1 && n > kFarSize * sizes_.back())
    all.push_back(size_name_ + " = " + text(n) + " is more than " + text(kFarSize) +
                  " times the largest one recorded (" + text(sizes_.back()) + ")");
  const double error = chosen().error();
  if (error > kLargeError)
    all.push_back("the model's error is " + base::number_text(100 * error, 2) + " % for held-out runs");
  if (std::isnan(error)) all.push_back("there are too few runs to hold some out, so the model's error is not known");
  return all;
}

}  // namespace foretask::analysis
