// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/model/model_store.hpp"
#include "report/text.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::StoredModel;

constexpr std::size_t kShortVersion = 12;

std::string names_of(const StoredModel& stored) {
  std::string names;
  for (const analysis::ParameterRange& range : stored.parameters) names += (names.empty() ? "" : ", ") + range.name;
  return names.empty() ? "-" : names;
}

std::string version_of(const StoredModel& stored) {
  const bool is_hash = stored.code_version.find(' ') == std::string::npos;
  return is_hash ? stored.code_version.substr(0, kShortVersion) : stored.code_version;
}

std::string formula_of(const StoredModel& stored) {
  std::string formula;
  for (const analysis::StoredTerm& term : stored.terms) {
    const bool negative = term.coefficient < 0;
    if (!formula.empty()) formula += negative ? " - " : " + ";
    if (formula.empty() && negative) formula += "-";
    formula += fmt::format("{:.4g}", std::abs(term.coefficient));
    if (term.name != "1") formula += " " + term.name;
  }
  return formula;
}

const std::string& name_of(const StoredModel& stored) { return stored.code.empty() ? stored.kernel : stored.code; }

void write_table(Text& text, const analysis::StoreListing& listing) {
  std::size_t width = 6;
  for (const StoredModel& stored : listing.models) width = std::max(width, name_of(stored).size());
  width = std::min<std::size_t>(width, 40);
  add(text, "{:<{}}  {:<6}  {:>11}  {:<14}  {:>7}  {:<20}  {:<12}  {}\n", "kernel", width, "class", "samples", "model",
      "error", "saved", "code", "parameters");
  for (const StoredModel& stored : listing.models) {
    const bool known = !stored.models.empty();
    add(text, "{:<{}}  {:<6}  {:>11}  {:<14}  {:>7}  {:<20}  {:<12}  {}\n", name_of(stored), width, stored.worker_class,
        format_count(stored.samples), known ? stored.models.front().name : "-",
        known ? format_share(stored.models.front().error) : "-", stored.saved, version_of(stored), names_of(stored));
  }
}

void write_one(Text& text, const StoredModel& stored) {
  add(text, "{} on {}: {} samples, saved {}, code {}\n", name_of(stored), stored.worker_class,
      format_count(stored.samples), stored.saved, version_of(stored));
  for (const analysis::ParameterRange& range : stored.parameters)
    add(text, "  {} from {:.6g} to {:.6g}\n", range.name, range.smallest, range.largest);
  if (stored.changes > 0) add(text, "  lasting changes of its speed: {}\n", stored.changes);
  if (!stored.models.empty()) {
    add(text, "  model: {}, error {} of late. 95 % of times lie from {:+.1f} % to {:+.1f} % around its prediction.\n",
        stored.models.front().name, format_share(stored.models.front().error), 100 * (stored.low - 1),
        100 * (stored.high - 1));
    for (std::size_t i = 1; i < stored.models.size(); ++i)
      add(text, "{}{} {}", i == 1 ? "  other models: " : ", ", stored.models[i].name,
          format_share(stored.models[i].error));
    if (stored.models.size() > 1) add(text, "\n");
  }
  if (!stored.terms.empty()) add(text, "  linear: ns = {}\n", formula_of(stored));
  if (stored.tuples > 0) add(text, "  history: {} combinations of parameter values\n", format_count(stored.tuples));
  if (stored.prediction) {
    const analysis::StoredPrediction& prediction = *stored.prediction;
    add(text, "  predicted: {} ({} to {}), {}, by {}\n", format_ns(prediction.value_ns), format_ns(prediction.low_ns),
        format_ns(prediction.high_ns), prediction.status, prediction.model);
  }
}

}  // namespace

std::string model_store_text(const analysis::StoreListing& listing, bool one_kernel) {
  Text text;
  if (listing.models.empty()) {
    add(text, "Nothing is stored in {}. To learn kernel times, run: foretask learn -- PROGRAM\n", listing.folder);
  } else if (one_kernel) {
    for (std::size_t i = 0; i < listing.models.size(); ++i) {
      if (i > 0) add(text, "\n");
      write_one(text, listing.models[i]);
    }
  } else {
    write_table(text, listing);
    add(text,
        "\n{} in {}. error: mean of |predicted - measured| / measured over the latest samples, each predicted "
        "before it was learned.\n",
        format_count(listing.models.size(), "model", "models"), listing.folder);
  }
  for (const analysis::RefusedFile& file : listing.refused) add(text, "not read: {}: {}\n", file.path, file.reason);
  return fmt::to_string(text);
}

}  // namespace foretask::report
