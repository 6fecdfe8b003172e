// SPDX-License-Identifier: Apache-2.0
// What `foretask predict` found, as data for its writers.
#pragma once

#include <array>
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

// Of a row besides n: its JSON keys and its columns of comma-separated values.
struct PredictionColumn {
  const char* name;
  double analysis::ProgramPrediction::*value;
};
inline constexpr std::array kPredictionColumns{
    PredictionColumn{"p", &analysis::ProgramPrediction::p},
    PredictionColumn{"time", &analysis::ProgramPrediction::time},
    PredictionColumn{"low", &analysis::ProgramPrediction::low},
    PredictionColumn{"high", &analysis::ProgramPrediction::high},
    PredictionColumn{"work", &analysis::ProgramPrediction::work},
    PredictionColumn{"delay", &analysis::ProgramPrediction::delay},
    PredictionColumn{"no_work", &analysis::ProgramPrediction::no_work},
    PredictionColumn{"lower_bound", &analysis::ProgramPrediction::lower_bound},
    PredictionColumn{"upper_bound", &analysis::ProgramPrediction::upper_bound},
    PredictionColumn{"T1prime", &analysis::ProgramPrediction::serial_work},
    PredictionColumn{"create_task", &analysis::ProgramPrediction::create_task},
    PredictionColumn{"span", &analysis::ProgramPrediction::span}};

// Leads with the answer; then the rows, none where the runs only tell of or-parallel sections, the models and what to
// be careful about.
[[nodiscard]] std::string prediction_text(const Prediction& prediction);

// Its or-parallel sections on more workers.
[[nodiscard]] std::string speculation_text(const std::vector<analysis::Speculation>& sections);

// One JSON object; the keys are in docs/command_line.md.
[[nodiscard]] std::string prediction_json(const Prediction& prediction);

// n as the program calls it, then kPredictionColumns.
[[nodiscard]] std::string prediction_csv(const Prediction& prediction);

// Time and speed-up against p, a curve a size: predicted with its interval, the bounds of the first size, and what was
// measured of the same sizes. At most six sizes are drawn; the legend says so.
void write_prediction_svg(const Prediction& prediction, Output& output);

}  // namespace foretask::report
