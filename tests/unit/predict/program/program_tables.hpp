// SPDX-License-Identifier: Apache-2.0
// The tables of tests/golden/program (one row a run, of programs made by formulas with noise; in the "infamily" ones
// Namsraijav and Taura's formulas hold exactly), and how far a model is from one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "foretask/analysis/program_table.hpp"
#include "predict/program/program_form.hpp"

namespace program_test {

using foretask::analysis::ProgramRun;
using foretask::predict::FittedProgram;
using foretask::predict::ProgramParts;

// Columns n, p, create_task, wait_tasks, T1prime, work, delay, no_work, time, span.
inline std::vector<ProgramRun> golden_runs(const std::string& name) {
  std::ifstream file(std::string(FORETASK_TESTS_DIR) + "/golden/program/" + name + ".csv");
  REQUIRE(file);
  std::string line;
  std::getline(file, line);
  std::vector<ProgramRun> runs;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    ProgramRun run;
    for (double* value : {&run.n, &run.p, &run.create_task, &run.wait_tasks, &run.serial_work, &run.work, &run.delay,
                          &run.no_work, &run.time, &run.span}) {
      std::string cell;
      std::getline(cells, cell, ',');
      *value = std::stod(cell);
    }
    run.source = name + ".csv:" + std::to_string(runs.size() + 2);
    runs.push_back(run);
  }
  REQUIRE(runs.size() > 20);
  return runs;
}

inline std::vector<double> errors(const FittedProgram& model, const std::vector<ProgramRun>& runs,
                                  double ProgramParts::*part = &ProgramParts::time,
                                  double ProgramRun::*measured = &ProgramRun::time) {
  std::vector<double> all;
  for (const ProgramRun& run : runs)
    all.push_back(std::abs(model.at(run.n, run.p).*part - run.*measured) / (run.*measured));
  std::sort(all.begin(), all.end());
  return all;
}

inline double median(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// Runs of a program of one formula for the time, on every n and p.
template <typename Time>
std::vector<ProgramRun> made_runs(const std::vector<double>& sizes, const std::vector<double>& workers, Time time) {
  std::vector<ProgramRun> runs;
  for (const double n : sizes)
    for (const double p : workers) {
      ProgramRun run;
      run.n = n;
      run.p = p;
      run.time = time(n, p);
      run.source = "made.csv:" + std::to_string(runs.size() + 2);
      runs.push_back(run);
    }
  return runs;
}

}  // namespace program_test
