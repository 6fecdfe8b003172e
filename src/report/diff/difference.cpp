// SPDX-License-Identifier: Apache-2.0
#include "report/diff/difference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/diff/difference_words.hpp"
#include "report/json_output.hpp"
#include "report/plain_text.hpp"

namespace foretask::analysis {

FORETASK_JSON_FIELDS(Change, before, after, ratio, low, high)

static void to_json(report::Json& json, const RunWarning& one) { json = {{"run", one.folder}, {"warning", one.text}}; }

static void to_json(report::Json& json, const DifferenceSide& one) {
  json["runs"] = one.folders;
  FORETASK_ADD_JSON_FIELDS(program, workers)
  json["create_task"] = one.created_tasks;
  FORETASK_ADD_JSON_FIELDS(held_up_share, warnings)
}

}  // namespace foretask::analysis

namespace foretask::report {
namespace {

using analysis::KernelChange;
using analysis::RunDifference;

constexpr std::size_t kKernelsShown = 20;

void add_sides(Text& text, const RunDifference& difference) {
  const SideNames names = side_names(difference);
  const std::size_t width = std::max(width_of(names.before), width_of(names.after));
  const auto add_side = [&](const std::string& name, const std::vector<std::string>& folders) {
    for (const std::string& folder : folders)
      add(text, "  {:<{}}  {}\n", &folder == &folders.front() ? name : "", width, one_line(folder));
  };
  add_side(names.before, difference.before.folders);
  add_side(names.after, difference.after.folders);
}

void add_totals(Text& text, const RunDifference& difference) {
  const SideNames names = side_names(difference);
  add(text, "\n  {:<16}  {:>12}  {:>12}  {:>12}  {:>10}  {:>20}\n", "", names.before, names.after, "difference",
      change_head(difference), "95 % interval");
  for (const TotalRow& row : total_rows(difference))
    add(text, "  {:<16}  {:>12}  {:>12}  {:>12}  {:>10}  {:>20}\n", row.name, time_words("is", row.change->before),
        time_words("is", row.change->after), signed_ns(row.change->after - row.change->before),
        change_words(difference, *row.change), interval_words(difference, *row.change));
}

void add_kernels(Text& text, const RunDifference& difference) {
  if (difference.kernels.empty()) return;
  const SideNames sides = side_names(difference);
  const ShortNames names = short_names_of(difference);
  const std::size_t shown = std::min(difference.kernels.size(), kKernelsShown);
  const auto is_in_both = [](const KernelChange& kernel) { return !kernel.before.empty() && !kernel.after.empty(); };
  add(text, "\nWork by kernel, largest difference first:\n");
  add(text, "  {:>12}  {:>12}  {:>12}  {:>10}  {:>20}   {}\n", sides.before, sides.after, "difference",
      change_head(difference), "95 % interval", "kernel");
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelChange& kernel = difference.kernels[i];
    add(text, "  {:>12}  {:>12}  {:>12}  {:>10}  {:>20}   {}\n", time_words(kernel.before, kernel.work_ns.before),
        time_words(kernel.after, kernel.work_ns.after), signed_ns(kernel.work_ns.after - kernel.work_ns.before),
        change_words(difference, kernel), is_in_both(kernel) ? interval_words(difference, kernel.work_ns) : "-",
        kernel_words(names, kernel));
  }
  if (shown < difference.kernels.size())
    add(text, "  and {} more (--json lists all)\n", difference.kernels.size() - shown);
  add(text, "\nHow often they ran, and how long one took (mean):\n");
  add(text, "  {:>12}  {:>12}  {:>12}  {:>12}  {:>10}  {:>20}   {}\n", "count", "count", "mean", "mean",
      change_head(difference), "95 % interval", "kernel");
  add(text, "  {:>12}  {:>12}  {:>12}  {:>12}\n", sides.before, sides.after, sides.before, sides.after);
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelChange& kernel = difference.kernels[i];
    add(text, "  {:>12}  {:>12}  {:>12}  {:>12}  {:>10}  {:>20}   {}\n",
        count_words(kernel.before, kernel.count.before), count_words(kernel.after, kernel.count.after),
        time_words(kernel.before, kernel.mean_ns.before), time_words(kernel.after, kernel.mean_ns.after),
        is_in_both(kernel) ? change_words(difference, kernel.mean_ns) : "-",
        is_in_both(kernel) ? interval_words(difference, kernel.mean_ns) : "-", kernel_words(names, kernel));
  }
  if (names.are_cut()) add(text, "Long names are cut: ... stands for what they lack. --json has them whole.\n");
}

// null: the side does not have it.
Json name_json(const std::string& name) { return name.empty() ? Json() : Json(name); }

}  // namespace

std::string difference_text(const RunDifference& difference) {
  Text text;
  add(text, "{}\n", difference_title(difference));
  add_sides(text, difference);
  add(text, "{}\n", facts_words(difference, false));
  for (const std::string& words : difference_answer(difference)) add(text, "\n{}\n", words);
  add_totals(text, difference);
  add_kernels(text, difference);
  add(text, "\n");
  for (const std::string& note : difference_notes(difference)) add(text, "{}\n", note);
  if (!difference.before.warnings.empty() || !difference.after.warnings.empty()) add(text, "\nWarnings:\n");
  for (const auto* side : {&difference.before, &difference.after})
    for (const analysis::RunWarning& one : side->warnings) add(text, "  - {}: {}\n", one.folder, one.text);
  return fmt::to_string(text);
}

std::string difference_json(const analysis::RunDifference& one) {
  Json json;
  json["comparison"] = one.comparison == analysis::Comparison::kWorkers ? "workers" : "before_after";
  FORETASK_ADD_JSON_FIELDS(before, after)
  Json& differs = json["differs"] = Json::array();
  for (const analysis::FactPair& fact : one.facts)
    if (fact.differs())
      differs.push_back({{"what", fact.what}, {"before", name_json(fact.before)}, {"after", name_json(fact.after)}});
  FORETASK_ADD_JSON_FIELDS(may_be_other_work)
  json["confidence"] = analysis::kChangeConfidence;
  FORETASK_ADD_JSON_FIELDS(elapsed_ns, worker_ns, work_ns, delay_ns, no_work_ns, span_ns)
  Json& kernels = json["kernels"] = Json::array();
  for (const analysis::KernelChange& kernel : one.kernels)
    kernels.push_back({{"before", name_json(kernel.before)},
                       {"after", name_json(kernel.after)},
                       {"work_ns", kernel.work_ns},
                       {"count", kernel.count},
                       {"mean_ns", kernel.mean_ns}});
  return json_text(json);
}

}  // namespace foretask::report
