// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/model_store.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "base/module_offset.hpp"
#include "base/number_text.hpp"
#include "base/region_name.hpp"
#include "model/store/store.hpp"
#include "predict/online/snapshot.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/recording/topology.hpp"
#include "symbols/symbols.hpp"

namespace foretask::analysis {
namespace {

using model::KernelModel;

// Code version of what was fitted to a table: no program has it, so that what comes of it is stale in all.
constexpr const char* kFitted = "fitted to a table";

std::string kind_text(model::ModelKind kind) { return foretask_model_text(static_cast<std::uint32_t>(kind)); }

// Of a kernel called module+0xoffset, and what follows it where it is a loop or a region.
std::string code_of(const model::StoredEntry& entry) {
  const auto place = base::parse_module_offset(entry.key.kernel);
  if (entry.module.empty() || !place) return {};
  symbols::SymbolResolver resolver(
      {{entry.module, 0, 0, std::numeric_limits<std::uint64_t>::max(), entry.key.code_version}});
  const std::string name =
      std::string(resolver.name(place->offset, place->behind == base::kLoopSuffix)).append(place->behind);
  return name == entry.key.kernel ? std::string() : name;
}

std::vector<CandidateModel> candidates_of(const KernelModel& model) {
  std::vector<CandidateModel> candidates;
  for (const KernelModel::General which : model.ranking()) {
    const std::string name = kind_text(KernelModel::kind_of(which));
    const bool is_there = std::ranges::find(candidates, name, &CandidateModel::name) != candidates.end();
    if (!is_there && model.score(which).weight() > 0 && (model.parameters() > 0 || which == KernelModel::kOneLevel))
      candidates.push_back({name, model.score(which).value()});
  }
  if (model.history_score().weight() > 0) {
    const CandidateModel history{kind_text(model::ModelKind::kHistory), model.history_score().value()};
    candidates.insert(model.prefers_history() ? candidates.begin() : candidates.end(), history);
  }
  return candidates;
}

std::vector<StoredTerm> terms_of(const KernelModel& model) {
  const auto ranking = model.ranking();
  const bool relative_first = std::find(ranking.begin(), ranking.end(), KernelModel::kRelative) <
                              std::find(ranking.begin(), ranking.end(), KernelModel::kBalanced);
  const model::LinearModel* const linear =
      model.linear(relative_first ? KernelModel::kRelative : KernelModel::kBalanced);
  std::vector<StoredTerm> terms;
  if (!linear || !linear->can_predict()) return terms;
  for (std::size_t i = 0; i < model.terms().size(); ++i)
    terms.push_back({model::term_text(model.terms()[i]), linear->coefficients()[i]});
  return terms;
}

// By its full name or by the function alone.
bool is_called(const std::string& code, const std::string& name) {
  return !code.empty() && (code == name || code.substr(0, code.find(" (")) == name);
}

Result<StoredPrediction> predict(const KernelModel& model, const StoreQuery& query) {
  std::array<double, model::kMaxParameters> values{};
  const auto& names = model.shape().parameters;
  for (const auto& [name, value] : query.values)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return Error{.what = "kernel '" + query.kernel + "' has no parameter '" + name + "'"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto given = std::ranges::find(query.values, names[i], &std::pair<std::string, double>::first);
    if (given == query.values.end())
      return Error{.what = "no value for the parameter '" + names[i] + "'; kernel '" + query.kernel +
                           "' needs one for each of " + base::joined(names)};
    values[i] = given->second;
  }
  const auto snapshot = predict::Snapshot::of(model);
  const predict::Prediction found = snapshot->predict(values.data());
  return StoredPrediction{found.value, found.low, found.high,
                          foretask_prediction_status_text(static_cast<std::uint32_t>(found.status)),
                          kind_text(found.kind)};
}

StoredModel describe(const model::StoredEntry& entry, const std::string& machine, const std::string& path) {
  const KernelModel& model = *entry.model;
  StoredModel stored{.kernel = entry.key.kernel,
                     .code = code_of(entry),
                     .machine = machine,
                     .worker_class = entry.key.worker_class,
                     .code_version = entry.key.code_version,
                     .saved = entry.saved,
                     .path = path,
                     .samples = model.samples(),
                     .changes = model.changes(),
                     .tuples = model.parameters() > 0 ? model.tuple_means().tuples() : 0};
  for (std::size_t i = 0; i < model.parameters(); ++i)
    stored.parameters.push_back({model.shape().parameters[i], model.smallest(i), model.largest(i)});
  stored.terms = terms_of(model);
  stored.models = candidates_of(model);
  const model::LogInterval interval = model.ratios(model.prefers_history()).interval();
  stored.low = std::exp(interval.low);
  stored.high = std::exp(interval.high);
  return stored;
}

}  // namespace

Result<StoreListing> read_model_store(const StoreQuery& query) {
  namespace fs = std::filesystem;
  const auto home = model::store_home(query.home);
  if (!home) return home.error();
  StoreListing listing{.folder = *home + "/models", .models = {}, .refused = {}};
  const std::string own = runtime::read_machine().fingerprint;
  std::error_code error;
  std::vector<fs::path> files;
  bool is_file = false;  // the kernel is called as a file is; else it may be one that is named after its code
  for (fs::directory_iterator machine(listing.folder, error), end; !error && machine != end; machine.increment(error)) {
    if (!query.all_machines && machine->path().filename() != own) continue;
    std::error_code inner;
    for (fs::directory_iterator file(machine->path(), inner); !inner && file != end; file.increment(inner)) {
      if (file->path().extension() != ".json") continue;
      is_file = is_file || file->path().filename() == model::Store::file_name(query.kernel);
      files.push_back(file->path());
    }
  }
  if (is_file)
    std::erase_if(files, [&](const auto& path) { return path.filename() != model::Store::file_name(query.kernel); });
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    const auto entries = model::Store::read_entries(path.string());
    if (!entries) {
      listing.refused.push_back({path.string(), entries.error().what});
      continue;
    }
    for (const model::StoredEntry& entry : *entries) {
      if (entry.model->samples() == 0) continue;
      StoredModel stored = describe(entry, path.parent_path().filename().string(), path.string());
      if (!query.kernel.empty() && !is_file && !is_called(stored.code, query.kernel)) continue;
      if (!query.values.empty()) {
        auto prediction = predict(*entry.model, query);
        if (!prediction) return prediction.error();
        stored.prediction = std::move(*prediction);
      }
      listing.models.push_back(std::move(stored));
    }
  }
  if (!query.kernel.empty() && listing.models.empty() && listing.refused.empty())
    return Error{.what = "nothing is stored of kernel '" + query.kernel + "'", .path = listing.folder};
  return listing;
}

Result<std::string> save_fitted_model(const std::string& home, const std::string& kernel, const DataTable& table,
                                      const ModelFit& fit) {
  if (!runtime::is_name(kernel)) return Error{.what = "no kernel can be called '" + kernel + "'"};
  const auto place = model::store_home(home);
  if (!place) return place.error();
  if (fit.parameters.size() > model::kMaxParameters)
    return Error{.what = "a kernel has " + std::to_string(model::kMaxParameters) + " parameters at most, this has " +
                         std::to_string(fit.parameters.size()) + " (--params)"};
  model::KernelShape shape{.parameters = fit.parameters, .terms = {}};
  for (const FittedTerm& term : fit.terms) {
    auto parsed = model::parse_term(term.name);
    if (!parsed) return parsed.error();
    shape.terms.push_back(std::move(*parsed));
  }
  if (const auto form = model::LinearForm::compile(shape.terms, shape.parameters); !form) return form.error();
  KernelModel online(shape);
  const std::vector<double>& target = *table.column(fit.target);
  const auto& outliers = fit.diagnostics.outliers;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!(target[row] >= 0) || (fit.searched && std::find(outliers.begin(), outliers.end(), row) != outliers.end()))
      continue;
    std::array<double, model::kMaxParameters> values{};
    for (std::size_t i = 0; i < fit.parameters.size(); ++i) values[i] = (*table.column(fit.parameters[i]))[row];
    online.learn(model::Parameters(values).first(fit.parameters.size()), target[row]);
    if (online.search_is_due()) online.search();
  }
  if (online.samples() == 0) return Error{.what = "no row has a time"};
  model::Store store(*place, runtime::read_machine().fingerprint, [](const std::string&) {});
  const auto saved = store.save({{{kernel, "cpu", kFitted}, 0, &online}}, shape.terms);
  if (!saved) return saved.error();
  return store.path_of(kernel);
}

}  // namespace foretask::analysis
