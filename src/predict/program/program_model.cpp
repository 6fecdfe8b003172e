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
using predict::ProgramForm;

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

std::vector<ProgramForm> all_forms(const ReplayGraph& replay, const std::optional<predict::MemorySlowdown>& memory) {
  using Fitted = Result<std::unique_ptr<predict::FittedProgram>>;
  std::vector<ProgramForm> forms{{kGrowth, predict::fit_growth_model}};
  forms.push_back({kKernels, [replay, memory](std::span<const ProgramRun> runs) {
                     return predict::fit_kernel_model(runs, replay ? replay(runs) : nullptr, predict::GraphUse::kBeyond,
                                                      memory ? &*memory : nullptr);
                   }});
  const auto published = predict::published_models();
  forms.insert(forms.end(), published.begin(), published.end());
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
Result<void> find_form(std::span<const ProgramForm> forms, const std::string& wanted) {
  std::string names;
  for (const ProgramForm& form : forms) {
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
  std::vector<ProgramForm> forms = all_forms(replay, memory);
  if (const auto found = find_form(forms, options.model); !found) return found.error();
  // A published model answers only where it is asked for. All of them take some seconds.
  std::erase_if(forms, [&](const ProgramForm& form) { return !form.is_own && form.name != options.model; });
  auto impl = std::make_unique<Impl>();
  impl->size_name = table.size_name;
  impl->sizes = predict::sizes_of(table.runs);
  impl->workers = predict::workers_of(table.runs);
  const std::vector<predict::HoldOut> splits = predict::hold_outs(table.runs);
  for (const ProgramForm& form : forms) {
    impl->forms.emplace_back(form, table.runs, splits);
    if (const JudgedForm& growth = impl->forms.front(); !growth.is_fitted())
      return Error{.what = "the runs do not show how the program's time grows: " + growth.why()};
  }
  if (const auto chosen = impl->choose(options.model); !chosen) return chosen.error();
  impl->burdened_span = burdened_span_law(table.runs);
  impl->list_scores();
  return impl;
}

Result<void> ProgramModel::Impl::choose(const std::string& wanted) {
  if (!wanted.empty()) {
    const auto found =
        std::find_if(forms.begin(), forms.end(), [&](const JudgedForm& form) { return form.name() == wanted; });
    if (!found->is_fitted()) return Error{.what = wanted + " cannot be fitted to these runs: " + found->why()};
    chosen_place = static_cast<std::size_t>(found - forms.begin());
    return {};
  }
  // `growth` is fitted, as the first; the others know more where the runs say it.
  chosen_place = 0;
  for (const char* const name : {kReplay, kKernels})
    for (std::size_t i = 0; i < forms.size(); ++i)
      if (forms[i].name() == name && forms[i].is_fitted()) chosen_place = i;
  double least = kClearlyBetter * forms[chosen_place].error();
  for (std::size_t i = 0; i < forms.size() && sizes.size() >= kSizesToCompare; ++i) {
    const JudgedForm& form = forms[i];
    if (!form.is_own() || !form.is_fitted() || !form.is_judged_by_all() || !(form.error() < least)) continue;
    least = form.error();
    chosen_place = i;
  }
  return {};
}

void ProgramModel::Impl::list_scores() {
  for (std::size_t i = 0; i < forms.size(); ++i)
    scores.push_back({forms[i].name(), forms[i].error(), i == chosen_place ? 1.0 : 0.0, forms[i].why()});
  const auto rank = [](double error) { return std::isnan(error) ? HUGE_VAL : error; };
  std::stable_sort(scores.begin(), scores.end(), [&](const ProgramModelScore& a, const ProgramModelScore& b) {
    return rank(a.holdout_error) < rank(b.holdout_error);
  });
}

Result<ProgramModel> ProgramModel::fit(const ProgramTable& table, const ProgramModelOptions& options) {
  auto impl = Impl::fit(table, options, {}, std::nullopt);
  if (!impl) return impl.error();
  return ProgramModel(*std::move(impl));
}

ProgramModel::ProgramModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ProgramModel::ProgramModel(ProgramModel&&) noexcept = default;
ProgramModel& ProgramModel::operator=(ProgramModel&&) noexcept = default;
ProgramModel::~ProgramModel() = default;

const std::string& ProgramModel::chosen() const { return impl_->chosen().name(); }

const std::vector<ProgramModelScore>& ProgramModel::scores() const { return impl_->scores; }

Result<ProgramPrediction> ProgramModel::predict(double n, double p) const {
  if (!(n > 0) || std::isinf(n)) return Error{.what = impl_->size_name + " has to be above 0"};
  if (!(p >= 1) || p != std::floor(p) || std::isinf(p)) return Error{.what = "p has to be a whole number from 1"};
  if (impl_->sizes.size() == 1 && n != impl_->sizes.front())
    return Error{.what = "all runs have " + impl_->size_name + " = " + base::number_text(impl_->sizes.front(), 10) +
                         ", so the growth with it is not known. Record other sizes"};
  const JudgedForm& form = impl_->chosen();
  const predict::ProgramParts parts = form.at(n, p);
  if (!(parts.time > 0) || std::isinf(parts.time))
    return Error{.what = form.name() + " gives no time for " + impl_->size_name + " = " + base::number_text(n, 10)};
  const predict::ProgramParts growth = impl_->forms.front().at(n, p);
  const auto known = [](double value, double other) { return std::isnan(value) ? other : value; };
  ProgramPrediction prediction;
  prediction.n = n;
  prediction.p = p;
  // The bounds are of the work and the span of the model that answers, where it knows them.
  const predict::ProgramParts& laws = std::isnan(parts.work + parts.span) ? growth : parts;
  prediction.lower_bound = predict::lower_bound(laws.work, laws.span, p);
  const double burdened = impl_->burdened_span ? std::max(impl_->burdened_span->at(n).value, laws.span) : laws.span;
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
  const double sd = form.log_sd(parts, predict::octaves_beyond(n, p, impl_->sizes.back(), impl_->workers.back()));
  prediction.low = parts.time * std::exp(-kInterval * sd);
  prediction.high = parts.time * std::exp(kInterval * sd);
  if (impl_->workers.size() == 1 && p > impl_->workers.front()) {
    // Nothing is known of other numbers of workers but the laws.
    prediction.low = std::min(prediction.low, prediction.lower_bound);
    prediction.high = std::max(prediction.high, prediction.upper_bound + prediction.delay / p);
  }
  return prediction;
}

std::vector<std::string> ProgramModel::warnings(const std::vector<ProgramPoint>& questions) const {
  std::vector<std::string> all;
  const auto text = [](double value) { return base::number_text(value, 10); };
  double n = 0, p = 0;
  for (const ProgramPoint& question : questions) {
    n = std::max(n, question.n);
    p = std::max(p, question.p);
  }
  if (impl_->sizes.size() == 1)
    all.push_back("all runs have " + impl_->size_name + " = " + text(impl_->sizes.front()) +
                  ", so the growth with it is not known. Record other sizes");
  else if (impl_->sizes.size() == 2)
    all.push_back("the runs have only two sizes, so growth by a power of " + impl_->size_name +
                  " is assumed. Record a third size");
  if (impl_->workers.size() == 1)
    all.push_back("all runs have " + text(impl_->workers.front()) +
                  (impl_->workers.front() == 1 ? " worker" : " workers") +
                  ". For other numbers, only the bounds of work and span are known. Record other numbers of workers");
  else if (p > kFarWorkers * impl_->workers.back())
    all.push_back(text(p) + " workers are more than " + text(kFarWorkers) + " times those recorded (" +
                  text(impl_->workers.back()) + ")");
  if (impl_->sizes.size() > 1 && n > kFarSize * impl_->sizes.back())
    all.push_back(impl_->size_name + " = " + text(n) + " is more than " + text(kFarSize) +
                  " times the largest one recorded (" + text(impl_->sizes.back()) + ")");
  const double error = impl_->chosen().error();
  if (error > kLargeError)
    all.push_back("the model's error is " + base::number_text(100 * error, 2) + " % for held-out runs");
  if (std::isnan(error)) all.push_back("there are too few runs to hold some out, so the model's error is not known");
  return all;
}

}  // namespace foretask::analysis
