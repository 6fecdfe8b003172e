// SPDX-License-Identifier: Apache-2.0
// What `foretask predict` found, as data for its writers.
#pragma once

#include <string>
#include <vector>

#include "foretask/analysis/program_model.hpp"
#include "foretask/analysis/speculation.hpp"
#include "report/output.hpp"

namespace foretask::report {

struct Prediction {
  std::string input;            // in words: the folders or the table
  std::string program;          // empty: not known
  std::string size_name = "n";  // what the program calls n
  bool is_in_ns = false;        // times; else they are in the table's own unit
  std::string chosen;
  std::vector<analysis::ProgramModelScore> models;  // best first
  std::vector<analysis::ProgramPrediction> rows;    // as asked
  std::vector<analysis::ProgramRun> runs;           // measured
  std::vector<std::string> warnings;
  std::vector<analysis::Speculation> speculative;  // in ns
};

// Leads with the answer; then the rows, none where the runs only tell of or-parallel sections, the models and what to
// be careful about.
[[nodiscard]] std::string prediction_text(const Prediction& prediction);

// Its or-parallel sections on more workers.
[[nodiscard]] std::string speculation_text(const std::vector<analysis::Speculation>& sections);

// One JSON object; the keys are in docs/command_line.md.
[[nodiscard]] std::string prediction_json(const Prediction& prediction);

// n as the program calls it, then p,time,low,high,work,delay,no_work,lower_bound,upper_bound,T1prime,create_task,span.
[[nodiscard]] std::string prediction_csv(const Prediction& prediction);

// Time and speed-up against p, a curve a size: predicted with its interval, the bounds of the first size, and what was
// measured of the same sizes. At most six sizes are drawn; the legend says so.
void write_prediction_svg(const Prediction& prediction, Output& output);

}  // namespace foretask::report
