// SPDX-License-Identifier: Apache-2.0
#include "predict/program/program_cells.hpp"

#include <array>
#include <map>
#include <utility>

#include "predict/growth/size_levels.hpp"
#include "statistics/quantile.hpp"

namespace foretask::predict {
namespace {

using analysis::ProgramRun;

constexpr std::array kMedians{&ProgramRun::create_task, &ProgramRun::wait_tasks, &ProgramRun::serial_work,
                              &ProgramRun::work,        &ProgramRun::delay,      &ProgramRun::no_work,
                              &ProgramRun::time,        &ProgramRun::span,       &ProgramRun::burdened_span};

std::vector<double> values_of(const std::vector<const ProgramRun*>& runs, double ProgramRun::*value) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const ProgramRun* run : runs) values.push_back(run->*value);
  return values;
}

std::vector<double> distinct_of(std::span<const ProgramRun> runs, double ProgramRun::*value) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const ProgramRun& run : runs) values.push_back(run.*value);
  return distinct(std::move(values));
}

}  // namespace

std::vector<ProgramCell> program_cells(std::span<const ProgramRun> runs) {
  std::map<std::pair<double, double>, std::vector<const ProgramRun*>> groups;
  for (const ProgramRun& run : runs) groups[{run.n, run.p}].push_back(&run);
  std::vector<std::vector<double>> works;
  for (const auto& [key, group] : groups) works.push_back(values_of(group, &ProgramRun::work));
  const std::vector<double> deviations = median_deviations(works);
  std::vector<ProgramCell> cells;
  cells.reserve(groups.size());
  for (const auto& [key, group] : groups) {
    ProgramCell cell;
    cell.n = key.first;
    cell.p = key.second;
    for (double ProgramRun::*const value : kMedians) cell.*value = statistics::median(values_of(group, value));
    cell.least_work = undisturbed(values_of(group, &ProgramRun::work));
    cell.work_sd = deviations[cells.size()];
    cell.least_delay = undisturbed(values_of(group, &ProgramRun::delay));
    cells.push_back(std::move(cell));
  }
  return cells;
}

double larger_half(std::span<const ProgramCell> cells) {
  std::vector<double> sizes;
  for (const ProgramCell& cell : cells)
    if (sizes.empty() || sizes.back() != cell.n) sizes.push_back(cell.n);
  return sizes.empty() ? 0 : sizes[sizes.size() / 2];
}

std::vector<double> sizes_of(std::span<const ProgramRun> runs) { return distinct_of(runs, &ProgramRun::n); }
std::vector<double> workers_of(std::span<const ProgramRun> runs) { return distinct_of(runs, &ProgramRun::p); }

}  // namespace foretask::predict
