// SPDX-License-Identifier: Apache-2.0
// foretask predict: a program's time on another input and another number of cores.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands/predict_searches.hpp"
#include "cli/launch/calibration.hpp"
#include "cli/options/lists.hpp"
#include "cli/progress.hpp"
#include "foretask/analysis/program_model.hpp"
#include "foretask/analysis/program_recordings.hpp"
#include "foretask/analysis/program_store.hpp"
#include "foretask/analysis/program_table.hpp"
#include "report/output.hpp"
#include "report/plain_text.hpp"
#include "report/predict/prediction.hpp"
#include "report/units.hpp"

namespace foretask::cli {
namespace {

using analysis::ProgramPoint;
using analysis::ProgramRecordings;
using analysis::ProgramTable;

constexpr std::uint32_t kMoreWorkers = 8;  // asked for where nothing is: as many times those recorded

struct Options {
  std::vector<std::string> runs;
  std::string table;
  std::string set;
  std::string cores;
  std::string at;
  std::string model;
  std::string svg;
  bool save = false;
  bool json = false;
  bool csv = false;
};

// NAME=VALUES.
struct Sizes {
  std::string name;
  std::vector<double> values;
};

Result<Sizes> parse_sizes(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return Error{.what = fmt::format("'{}' is not NAME=VALUES, as in n=1024,2048", text)};
  Sizes sizes{text.substr(0, equals), {}};
  const auto values = parse_value_list(std::string_view(text).substr(equals + 1));
  if (!values) return values.error();
  for (const std::string& value : *values) {
    const auto number = report::parse_number<double>(value);
    if (!number || !std::isfinite(*number)) return Error{.what = fmt::format("'{}' is no number", value)};
    if (!(*number > 0)) return Error{.what = fmt::format("{} = {} is not above 0", sizes.name, value)};
    sizes.values.push_back(*number);
  }
  return sizes;
}

Result<ProgramRecordings> load_recordings(const Options& options, const std::string& size_name) {
  ProgressLine progress;
  return analysis::read_program_recordings(options.runs, size_name,
                                           [&](double done, const char* what) { progress.update(done, what); });
}

// Empty: none are asked for.
std::vector<std::uint32_t> asked_cores(const Options& options) {
  return options.cores.empty() ? std::vector<std::uint32_t>{} : *parse_core_list(options.cores);
}

// What is asked: the rows of a file, or each size on each number of workers.
Result<std::vector<ProgramPoint>> questions(const Options& options, const std::vector<double>& sizes,
                                            const ProgramTable& table) {
  if (!options.at.empty()) return analysis::read_program_points(options.at, table.size_name);
  double largest = 0, workers = 1;
  for (const analysis::ProgramRun& run : table.runs) {
    largest = std::max(largest, run.n);
    workers = std::max(workers, run.p);
  }
  std::vector<std::uint32_t> cores = asked_cores(options);
  if (cores.empty()) {
    const double most = std::min(kMoreWorkers * workers, static_cast<double>(kMaxCores));
    for (std::uint32_t p = 1; p <= static_cast<std::uint32_t>(most); p *= 2) cores.push_back(p);
  }
  std::vector<ProgramPoint> points;
  for (const double n : sizes.empty() ? std::vector<double>{largest} : sizes)
    for (const std::uint32_t p : cores) points.push_back({n, static_cast<double>(p)});
  return points;
}

Result<analysis::ProgramModel> fit(const ProgramTable& table, const Options& options) {
  analysis::ProgramModelOptions how{.model = options.model, .progress = {}};
  if (!options.table.empty()) return analysis::ProgramModel::fit(table, how);
  ProgressLine progress;
  how.progress = [&](double done, const char* what) { progress.update(done, what); };
  return analysis::ProgramModel::fit_runs(table, how);
}

// foretask's own tables are in ns; one of another tool may name a machine, and is in a unit of its own.
bool is_own_table(const std::string& path, const ProgramTable& table) {
  if (table.machine.empty()) return false;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))  // a pipe cannot be read twice
    return std::any_of(table.runs.begin(), table.runs.end(), [](const auto& run) { return run.burdened_span > 0; });
  std::string names;
  std::ifstream in(path);
  std::getline(in, names);
  if (names.ends_with('\r')) names.pop_back();
  names = "," + names + ",";
  const auto has = [&names](const std::string& name) { return names.find("," + name + ",") != std::string::npos; };
  return has("run") && has("burdened_span");
}

int write_svg(const report::Prediction& prediction, const std::string& path) {
  auto output = report::Output::open(path);
  if (!output) return fail(output.error());
  write_prediction_svg(prediction, *output);
  if (const auto finished = output->finish(); !finished) return fail(finished.error());
  return kExitOk;
}

// Runs that are too few for a model of T(n, p) still tell of their or-parallel sections; else that they are too few is
// the answer.
int predict_searches_alone(const Options& options, const std::vector<double>& sizes,
                           const ProgramRecordings& recordings, const Error& problem) {
  if (recordings.searches.empty() || options.csv || options.save || !options.svg.empty() || !options.at.empty())
    return fail(problem);
  report::Prediction prediction;
  auto searches = predict_searches(recordings, sizes, asked_cores(options), prediction.warnings);
  if (!searches) return fail(searches.error());
  if (searches->empty()) {
    for (const std::string& warning : prediction.warnings) note("warning: " + warning);
    return fail(problem);
  }
  prediction.input = fmt::format("{}", fmt::join(options.runs, " "));
  prediction.program = recordings.program;
  prediction.size_name = recordings.size_name;
  prediction.is_in_ns = true;
  prediction.speculative = std::move(*searches);
  prediction.warnings.insert(prediction.warnings.end(), recordings.warnings.begin(), recordings.warnings.end());
  prediction.warnings.push_back("the whole program's time is not predicted: " + problem.message());
  return print_or_fail(options.json ? prediction_json(prediction) : report::wrapped(prediction_text(prediction)));
}

// `recordings`: null where the table is a file.
int predict_program(const Options& options, const Sizes& sizes, ProgramTable table,
                    const ProgramRecordings* recordings) {
  if (options.save) {
    const auto saved = analysis::save_program_table({}, table);
    if (!saved) return fail(saved.error());
    note("the runs are stored in " + *saved + ", for FORETASK_PROGRESS");
  }
  const auto points = questions(options, sizes.values, table);
  if (!points) return fail(points.error());
  const auto model = fit(table, options);
  if (!model)
    return recordings != nullptr && options.model.empty()
               ? predict_searches_alone(options, sizes.values, *recordings, model.error())
               : fail(model.error());

  report::Prediction prediction;
  prediction.input = options.table.empty() ? fmt::format("{}", fmt::join(options.runs, " ")) : options.table;
  prediction.program = table.program;
  prediction.size_name = table.size_name;
  prediction.is_in_ns = options.table.empty() || is_own_table(options.table, table);
  prediction.chosen = model->chosen();
  prediction.models = model->scores();
  prediction.warnings = table.warnings;
  for (const std::string& warning : model->warnings(*points)) prediction.warnings.push_back(warning);
  for (const ProgramPoint& point : *points) {
    const auto row = model->predict(point.n, point.p);
    if (!row) return fail(row.error());
    prediction.rows.push_back(*row);
  }
  if (recordings != nullptr) {
    auto searches = predict_searches(*recordings, sizes.values, asked_cores(options), prediction.warnings);
    if (searches) {
      prediction.speculative = std::move(*searches);
    } else {
      prediction.warnings.push_back(searches.error().message());
    }
  }
  prediction.runs = std::move(table.runs);
  if (!options.svg.empty())
    if (const int written = write_svg(prediction, options.svg); written != kExitOk) return written;
  return print_or_fail(options.json  ? prediction_json(prediction)
                       : options.csv ? prediction_csv(prediction)
                                     : report::wrapped(prediction_text(prediction)));
}

int run(const Options& options) {
  if (options.runs.empty() == options.table.empty())
    return wrong_usage("predict needs either recorded runs or --table FILE.csv (see foretask predict --help)");
  const LongWorkNote patience("reading the runs and fitting models to them. It may take a minute");
  Sizes sizes;
  if (!options.set.empty()) sizes = *parse_sizes(options.set);
  if (!options.table.empty()) {
    auto table = analysis::read_program_table(options.table, sizes.name.empty() ? "n" : sizes.name);
    return table ? predict_program(options, sizes, std::move(*table), nullptr) : fail(table.error());
  }
  calibrate_for(options.runs);
  auto recordings = load_recordings(options, sizes.name);
  if (!recordings) return fail(recordings.error());
  if (!recordings->table) return predict_searches_alone(options, sizes.values, *recordings, recordings->table.error());
  return predict_program(options, sizes, std::move(*recordings->table), &*recordings);
}

}  // namespace

Command add_predict(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("predict", "Predict a program's time on another input size and number of workers");
  command->add_option("RUNS", options->runs,
                      "Folders of recorded runs, or folders that hold some, such as a campaign's");
  auto* table = command->add_option("--table", options->table, "Instead of RUNS: a run table, as CSV")
                    ->check(CLI::Validator(check_not_empty, "FILE.csv"));
  auto* set = command
                  ->add_option("--set", options->set,
                               "Input sizes to predict for, as in n=1e9 or n=1024-8192:x2 (default: the largest size "
                               "recorded). The name is the recordings' parameter or the table's column")
                  ->check(CLI::Validator(check<parse_sizes>, "n=LIST"));
  auto* cores =
      command
          ->add_option("--cores", options->cores,
                       "Numbers of workers, as in 1,2,4-64:4 (default: 1, 2, 4, ... up to 8 times the most recorded)")
          ->check(CLI::Validator(check<parse_core_list>, "LIST"));
  command
      ->add_option("--at", options->at,
                   "Instead of --set and --cores: a CSV file with columns n and p, one row for each prediction")
      ->check(CLI::Validator(check_not_empty, "FILE.csv"))
      ->excludes(set)
      ->excludes(cores);
  command
      ->add_option("--model", options->model,
                   "Predict with this model (default: growth, or by kernel where recordings allow it)")
      ->check(CLI::Validator(check_not_empty, "NAME"));
  command->add_option("--svg", options->svg, "Draw time and speedup against the number of workers into this file")
      ->check(CLI::Validator(check_not_empty, "FILE"));
  command->add_flag("--save", options->save, "Store the runs: FORETASK_PROGRESS=1 predicts from them")->excludes(table);
  auto* json = command->add_flag("--json", options->json, "Write JSON");
  command->add_flag("--csv", options->csv, "Write CSV")->excludes(json);
  return {command, [options] { return run(*options); }};
}

}  // namespace foretask::cli
