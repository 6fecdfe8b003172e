// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/page_predicted_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "cli/options/lists.hpp"
#include "cli/progress.hpp"
#include "foretask/analysis/program_recordings.hpp"
#include "foretask/analysis/program_store.hpp"
#include "report/units.hpp"

namespace foretask::cli {
namespace {

using analysis::ProgramModel;
using analysis::ProgramTable;
using report::PredictedTimes;

constexpr std::size_t kMostSizes = 8;         // of those recorded
constexpr std::size_t kMostStored = 200;      // runs, the newest
constexpr double kMoreCores = 8;              // as many times those recorded
constexpr std::array kLargerSizes{2.0, 4.0};  // than the largest recorded

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The recorded sizes, evenly, and larger ones where the runs tell how the time grows.
std::vector<double> sizes_of(const ProgramTable& table) {
  std::set<double> recorded;
  for (const analysis::ProgramRun& run : table.runs) recorded.insert(run.n);
  const std::vector<double> all(recorded.begin(), recorded.end());
  std::vector<double> sizes;
  const std::size_t count = std::min(all.size(), kMostSizes);
  for (std::size_t i = 0; i < count; ++i) sizes.push_back(all[count == 1 ? 0 : i * (all.size() - 1) / (count - 1)]);
  if (all.size() > 1)
    for (const double factor : kLargerSizes) sizes.push_back(factor * all.back());
  return sizes;
}

std::vector<double> cores_of(const ProgramTable& table) {
  double most = 1;
  for (const analysis::ProgramRun& run : table.runs) most = std::max(most, run.p);
  std::set<double> cores{most};
  for (double p = 1; p <= std::min(kMoreCores * most, static_cast<double>(kMaxCores)); p *= 2) cores.insert(p);
  return {cores.begin(), cores.end()};
}

Result<PredictedTimes> predicted_by(const ProgramModel& model, ProgramTable table, std::string from) {
  PredictedTimes predicted;
  predicted.size_name = table.size_name;
  predicted.sizes = sizes_of(table);
  predicted.cores = cores_of(table);
  predicted.from = std::move(from);
  for (const analysis::ProgramModelScore& score : model.scores())
    if (score.name == model.chosen()) predicted.model = score;
  predicted.warnings = table.warnings;
  std::vector<analysis::ProgramPoint> points;
  for (const double n : predicted.sizes)
    for (const double p : predicted.cores) points.push_back({n, p});
  for (const analysis::ProgramPoint& point : points) {
    const auto cell = model.predict(point.n, point.p);
    if (!cell) return cell.error();
    predicted.cells.push_back(*cell);
  }
  for (const std::string& warning : model.warnings(points)) predicted.warnings.push_back(warning);
  predicted.runs = std::move(table.runs);
  return predicted;
}

Result<PredictedTimes> predicted_of_runs(const std::string& program, const std::vector<std::string>& runs) {
  ProgressLine progress;
  const auto update = [&progress](double done, const char* what) { progress.update(done, what); };
  auto recordings = analysis::read_program_recordings(runs, {}, update);
  if (!recordings) return recordings.error();
  if (!recordings->table) return recordings->table.error();
  if (name_of(recordings->program) != name_of(program))
    return Error{.what = fmt::format("--with has recordings of {}, and the run is of {}", name_of(recordings->program),
                                     name_of(program))};
  const auto model = ProgramModel::fit_runs(*recordings->table, {.model = {}, .progress = update});
  if (!model) return model.error();
  std::string from = report::format_count(recordings->table->runs.size(), "recorded run", "recorded runs");
  return predicted_by(*model, *std::move(recordings->table), std::move(from));
}

PredictedTimes nothing(const std::string& program, const std::string& why) {
  PredictedTimes predicted;
  predicted.reason = fmt::format(
      "{}. foretask sweep records {} on several sizes and numbers of cores; foretask report RUN --html FILE --with DIR "
      "then shows here what they predict.",
      why, program.empty() ? "the program" : name_of(program));
  return predicted;
}

PredictedTimes predicted_of_store(const std::string& program) {
  auto table = analysis::load_program_table({}, name_of(program));
  if (!table) return nothing(program, "One run does not tell of other sizes, and no others are stored on this machine");
  if (table->runs.size() > kMostStored) table->runs.resize(kMostStored);
  const auto model = ProgramModel::fit(*table);
  if (!model) return nothing(program, "The stored runs do not tell of other sizes: " + model.error().what);
  std::string from = report::format_count(table->runs.size(), "stored run", "stored runs") + " on this machine";
  auto predicted = predicted_by(*model, *std::move(table), std::move(from));
  return predicted ? *std::move(predicted)
                   : nothing(program, "The stored runs do not tell of other sizes: " + predicted.error().what);
}

}  // namespace

Result<PredictedTimes> page_predicted_times(const std::string& program, const std::vector<std::string>& runs) {
  return runs.empty() ? predicted_of_store(program) : predicted_of_runs(program, runs);
}

}  // namespace foretask::cli
