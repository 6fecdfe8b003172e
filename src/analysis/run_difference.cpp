// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/run_difference.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/module_offset.hpp"
#include "base/number_text.hpp"
#include "foretask/analysis/work_inflation.hpp"
#include "report/short_names.hpp"
#include "statistics/tails.hpp"

namespace foretask::analysis {
namespace {

using Values = std::vector<double>;

double mean_of(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

bool are_positive(const Values& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value > 0 && std::isfinite(value); });
}

Values logarithms(const Values& values) {
  Values result;
  for (const double value : values) result.push_back(std::log(value));
  return result;
}

// Without rounding where all are the same: counts.
double geometric_mean(const Values& values, const Values& logs) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *least == *most ? *least : std::exp(mean_of(logs));
}

std::string program_of(const Report& report) { return std::filesystem::path(report.program).filename().string(); }

std::vector<FactPair> fact_pairs(const ComparedRun& before, const ComparedRun& after) {
  std::vector<FactPair> pairs;
  for (const RunFact& fact : before.facts) pairs.push_back({fact.what, fact.value, {}});
  for (const RunFact& fact : after.facts) {
    const auto found = std::ranges::find(pairs, fact.what, &FactPair::what);
    if (found == pairs.end())
      pairs.push_back({fact.what, {}, fact.value});
    else
      found->after = fact.value;
  }
  return pairs;
}

// Which fact of `other` is not as in `first`; empty: none.
std::string other_fact(const ComparedRun& first, const ComparedRun& other) {
  if (first.report.workers != other.report.workers) return "number of workers";
  for (const FactPair& pair : fact_pairs(first, other))
    if (pair.before != pair.after) return pair.what;
  return {};
}

double held_up_share(const Report& report) {
  const double all = report.workers * static_cast<double>(report.recorded_elapsed_ns);
  return all > 0 ? static_cast<double>(report.held_up_ns) / all : 0;
}

Result<DifferenceSide> side_of(const std::vector<ComparedRun>& runs) {
  if (runs.empty()) return Error{"a comparison needs a recording before and one after"};
  const ComparedRun& first = runs.front();
  DifferenceSide side;
  side.program = program_of(first.report);
  side.workers = first.report.workers;
  side.created_tasks = first.report.create_task;
  for (const ComparedRun& run : runs) {
    if (const std::string fact = other_fact(first, run); !fact.empty())
      return Error{.what = "is no replicate of " + first.folder + ": it has another " + fact, .path = run.folder};
    side.folders.push_back(run.folder);
    side.held_up_share = std::max(side.held_up_share, held_up_share(run.report));
    for (const std::string& warning : run.report.warnings) side.warnings.push_back({run.folder, warning});
  }
  return side;
}

Values values_of(const std::vector<ComparedRun>& runs, const std::function<double(const Report&)>& value) {
  Values values;
  for (const ComparedRun& run : runs) values.push_back(value(run.report));
  return values;
}

// 0 in a run without the kernel.
Values values_of(const std::vector<ComparedRun>& runs, const std::string& kernel,
                 const std::function<double(const KernelSummary&)>& value) {
  return values_of(runs, [&](const Report& report) {
    for (const KernelSummary& one : report.kernels)
      if (one.name == kernel) return value(one);
    return 0.0;
  });
}

std::vector<std::string> kernel_names(const std::vector<ComparedRun>& runs) {
  std::vector<std::string> names;
  for (const ComparedRun& run : runs)
    for (const KernelSummary& kernel : run.report.kernels) names.push_back(kernel.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

struct Place {
  std::string group;  // function, file and kind
  std::uint64_t line = 0;
};

// "f (a.cpp:3) loop" -> "f (a.cpp) loop", 3; "f (app+0x1f)" -> "f (app)", 31. The file without its folder: a copy of
// the source may lie elsewhere.
Place place_of(const std::string& name) {
  const report::NameParts parts = report::parts_of(name);
  if (parts.place.empty()) return {name};
  Place place;
  std::string_view file;
  if (const auto offset = base::parse_module_offset(parts.place)) {
    file = offset->module;
    place.line = offset->offset;
  } else {
    const std::size_t colon = parts.place.rfind(':');
    file = parts.place.substr(0, colon);
    const std::string_view line = parts.place.substr(colon + 1);
    std::from_chars(line.data(), line.data() + line.size(), place.line);
  }
  if (const std::size_t slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  place.group.append(parts.function).append(" (").append(file).append(")").append(parts.behind);
  return place;
}

// In the order of lines, then of names.
using Names = std::vector<std::pair<std::uint64_t, std::string>>;
struct Group {
  Names before;
  Names after;
};

void add_sorted(const std::vector<std::string>& names, Names Group::*side, std::map<std::string, Group>& groups) {
  for (const std::string& name : names) {
    const Place place = place_of(name);
    (groups[place.group].*side).emplace_back(place.line, name);
  }
  for (auto& [key, group] : groups) std::sort((group.*side).begin(), (group.*side).end());
}

// Both sorted.
void add_equal_names(const Group& group, std::vector<std::pair<std::string, std::string>>& pairs) {
  auto one = group.before.begin();
  auto other = group.after.begin();
  while (one != group.before.end() || other != group.after.end()) {
    const bool is_gone = other == group.after.end() || (one != group.before.end() && *one < *other);
    const bool is_new = !is_gone && (one == group.before.end() || *other < *one);
    pairs.emplace_back(is_new ? "" : one->second, is_gone ? "" : other->second);
    if (!is_new) ++one;
    if (!is_gone) ++other;
  }
}

// Each name of both once, in a pair: (before, after), one of them empty where the kernel has no partner. Those of one
// function, file and kind go together. If both sides have the same names among them, by these; else by the order of the
// lines if there are as many; else by the names that are equal.
std::vector<std::pair<std::string, std::string>> pair_kernels(const std::vector<std::string>& before,
                                                              const std::vector<std::string>& after) {
  std::map<std::string, Group> groups;
  add_sorted(before, &Group::before, groups);
  add_sorted(after, &Group::after, groups);
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& [key, group] : groups) {
    if (group.before.size() != group.after.size()) {
      add_equal_names(group, pairs);
      continue;
    }
    // Equal names stand at equal places where the sides have the same ones.
    for (std::size_t i = 0; i < group.before.size(); ++i)
      pairs.emplace_back(group.before[i].second, group.after[i].second);
  }
  return pairs;
}

std::vector<KernelChange> kernel_changes(const std::vector<ComparedRun>& before,
                                         const std::vector<ComparedRun>& after) {
  std::vector<KernelChange> changes;
  for (auto& [old_name, new_name] : pair_kernels(kernel_names(before), kernel_names(after))) {
    const auto change = [&, &was = old_name, &is = new_name](const std::function<double(const KernelSummary&)>& value) {
      return change_of(values_of(before, was, value), values_of(after, is, value));
    };
    changes.push_back({.before = old_name,
                       .after = new_name,
                       .work_ns = change([](const auto& one) { return static_cast<double>(one.work_ns); }),
                       .count = change([](const auto& one) { return static_cast<double>(one.count); }),
                       .mean_ns = change([](const auto& one) { return one.mean_ns; })});
  }
  std::ranges::stable_sort(changes, std::greater(),
                           [](const KernelChange& one) { return std::abs(one.work_ns.after - one.work_ns.before); });
  return changes;
}

Comparison comparison_of(const Report& before, const Report& after) {
  const bool is_of_workers = before.workers != after.workers && program_of(before) == program_of(after) &&
                             before.parameters == after.parameters;
  return is_of_workers ? Comparison::kWorkers : Comparison::kBeforeAfter;
}

}  // namespace

ComparedRun compared_run(const std::string& folder, const Report& report) {
  ComparedRun result{.folder = folder, .report = report, .facts = {}};
  const auto add = [&result](std::string what, std::string value) {
    if (!value.empty()) result.facts.push_back({std::move(what), std::move(value)});
  };
  const RecordingOrigin& origin = report.origin;
  add("program", program_of(report));
  add("build", origin.build_id);
  add("command", base::joined(report.command, " "));
  for (const auto& [name, value] : report.parameters) add("parameter " + name, value);
  add("host", origin.host);
  add("machine", origin.processor_model + ", " + std::to_string(origin.processors) + " processors, fingerprint " +
                     origin.fingerprint);
  add("runtime", report.runtime + (origin.runtime_version.empty() ? "" : " " + origin.runtime_version));
  for (const auto& [name, value] : origin.environment)
    if (name != "OMP_NUM_THREADS") add(name, value);  // the number of workers says it
  return result;
}

Change change_of(const std::vector<double>& before, const std::vector<double>& after) {
  Change change;
  if (!are_positive(before) || !are_positive(after)) {
    change.before = mean_of(before);
    change.after = mean_of(after);
    if (change.before > 0) change.ratio = change.after / change.before;
    return change;
  }
  const Values log_before = logarithms(before);
  const Values log_after = logarithms(after);
  change.before = geometric_mean(before, log_before);
  change.after = geometric_mean(after, log_after);
  change.ratio = change.after / change.before;
  if (const auto difference = statistics::welch_difference(log_before, log_after, kChangeConfidence)) {
    change.low = std::exp(difference->low);
    change.high = std::exp(difference->high);
  }
  return change;
}

Result<RunDifference> compare_runs(const std::vector<ComparedRun>& before, const std::vector<ComparedRun>& after) {
  auto first = side_of(before);
  if (!first) return first.error();
  auto second = side_of(after);
  if (!second) return second.error();
  const Report& one = before.front().report;
  const Report& other = after.front().report;
  RunDifference result;
  result.comparison = comparison_of(one, other);
  result.before = std::move(*first);
  result.after = std::move(*second);
  result.facts = fact_pairs(before.front(), after.front());
  result.may_be_other_work = result.comparison == Comparison::kWorkers && !WorkInflation::may_take(one, other);
  const auto change = [&](const std::function<double(const Report&)>& value) {
    return change_of(values_of(before, value), values_of(after, value));
  };
  result.elapsed_ns = change([](const Report& run) { return static_cast<double>(run.elapsed_ns); });
  result.worker_ns = change([](const Report& run) { return run.workers * static_cast<double>(run.elapsed_ns); });
  result.work_ns = change([](const Report& run) { return static_cast<double>(run.work_ns); });
  result.delay_ns = change([](const Report& run) { return static_cast<double>(run.delay_ns); });
  result.no_work_ns = change([](const Report& run) { return static_cast<double>(run.no_work_ns); });
  result.span_ns = change([](const Report& run) { return static_cast<double>(run.span_ns); });
  result.kernels = kernel_changes(before, after);
  return result;
}

}  // namespace foretask::analysis
