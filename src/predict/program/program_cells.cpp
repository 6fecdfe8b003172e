// SPDX-License-Identifier: Apache-2.0
#include "predict/program/program_cells.hpp"

#include <map>
#include <utility>

#include "predict/growth/distinct.hpp"
#include "predict/growth/size_levels.hpp"
#include "statistics/quantile.hpp"

namespace foretask::predict {
namespace {

using analysis::ProgramRun;

std::vector<double> values_of(const std::vector<const ProgramRun*>& runs, double ProgramRun::*value) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const ProgramRun* run : runs) values.push_back(run->*value);
  return values;
}

double median(const std::vector<const ProgramRun*>& runs, double ProgramRun::*value) {
  return statistics::median(values_of(runs, value));
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
    cell.create_task = median(group, &ProgramRun::create_task);
    cell.wait_tasks = median(group, &ProgramRun::wait_tasks);
    cell.serial_work = median(group, &ProgramRun::serial_work);
    cell.work = median(group, &ProgramRun::work);
    cell.least_work = undisturbed(values_of(group, &ProgramRun::work));
    cell.work_sd = deviations[cells.size()];
    cell.delay = median(group, &ProgramRun::delay);
    cell.least_delay = undisturbed(values_of(group, &ProgramRun::delay));
    cell.no_work = median(group, &ProgramRun::no_work);
    cell.time = median(group, &ProgramRun::time);
    cell.span = median(group, &ProgramRun::span);
    cell.burdened_span = median(group, &ProgramRun::burdened_span);
    cells.push_back(cell);
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
