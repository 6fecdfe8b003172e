// SPDX-License-Identifier: Apache-2.0
#include "predict/program/table_checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/number_text.hpp"

namespace foretask::predict {
namespace {

// Tables are printed with a few digits, and other recorders' clocks need not agree with each other; more than this is
// another definition of one of the columns.
constexpr double kIdentityTolerance = 0.01;
constexpr double kMostWorkers = 1e9;

}  // namespace

std::string wrong_size(double n) { return n > 0 ? "" : "the size of an input has to be above 0"; }

std::string wrong_workers(double p) {
  if (p < 1) return "the number of workers has to be at least 1";
  if (p > kMostWorkers) return "the number of workers has to be at most 1e9";
  return p == std::floor(p) ? "" : "the number of workers has to be a whole number";
}

Result<void> check_runs(const analysis::ProgramTable& table, const std::string& path) {
  if (table.runs.size() < 2) return Error{.what = "one run is not enough: give at least two", .path = path};
  if (std::none_of(table.runs.begin(), table.runs.end(), [](const auto& run) { return run.p == 1; }))
    return Error{.what = "no run has p = 1: the other runs are compared with the work on one worker. Record one",
                 .path = path};
  return {};
}

void warn_of_runs(analysis::ProgramTable& table) {
  const analysis::ProgramRun* first = nullptr;
  double first_off = 0;
  std::size_t others = 0;
  for (const analysis::ProgramRun& run : table.runs) {
    const double whole = run.p * run.time;
    const double off = (run.work + run.delay + run.no_work - whole) / whole;
    if (std::abs(off) <= kIdentityTolerance) continue;
    if (first == nullptr) {
      first = &run;
      first_off = off;
    } else {
      ++others;
    }
  }
  if (first == nullptr) return;
  std::string text = first->source + ": work + delay + no_work is " + base::number_text(100 * std::abs(first_off), 3) +
                     " %" + (first_off > 0 ? " above" : " below") + " p * time";
  if (others != 0) text += "; " + std::to_string(others) + (others == 1 ? " more run differs" : " more runs differ");
  table.warnings.push_back(std::move(text));
}

}  // namespace foretask::predict
