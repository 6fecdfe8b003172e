// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "cli/commands/replays.hpp"
#include "cli/options/input.hpp"
#include "cli/options/lists.hpp"
#include "cli/options/replay_options.hpp"
#include "cli/progress.hpp"
#include "foretask/analysis/kernel_table.hpp"
#include "foretask/analysis/program_recordings.hpp"
#include "foretask/analysis/program_store.hpp"
#include "report/output.hpp"
#include "report/page/anonymous.hpp"
#include "report/page/page.hpp"
#include "report/units.hpp"
#include "statistics/quantile.hpp"

namespace foretask::cli {
namespace {

using analysis::DataTable;
using analysis::TableKernel;
using report::FittedKernel;

constexpr std::size_t kMostKernels = 8;
constexpr std::size_t kMostRows = 20'000;                // that are fitted to, of all kernels
constexpr std::size_t kMostDrawn = 1'000;                // of a kernel
constexpr std::uint64_t kMostFittedVisits = 40'000'000;  // strands, once a kernel
constexpr double kOutside = 0.025;                       // of the rows, on either side of the interval

// In their order; the same ones each time.
std::vector<std::size_t> choice(std::size_t rows, std::size_t most) {
  std::vector<std::size_t> all(rows);
  std::iota(all.begin(), all.end(), 0);
  if (rows <= most) return all;
  std::vector<std::size_t> chosen;
  std::sample(all.begin(), all.end(), std::back_inserter(chosen), most, std::mt19937(1));
  return chosen;
}

DataTable rows_of(const DataTable& table, const std::vector<std::size_t>& rows) {
  DataTable part{.names = table.names, .columns = {}};
  for (const std::vector<double>& column : table.columns) {
    std::vector<double>& values = part.columns.emplace_back();
    for (const std::size_t row : rows) values.push_back(column[row]);
  }
  return part;
}

void add_rows(const DataTable& table, FittedKernel& kernel) {
  const auto fitted = analysis::fitted_values(kernel.fit, table);
  if (!fitted) return;
  const std::vector<double>& measured = *table.column(analysis::kTimeColumn);
  std::vector<double> ratios;
  for (std::size_t row = 0; row < measured.size(); ++row)
    if ((*fitted)[row] > 0) ratios.push_back(measured[row] / (*fitted)[row]);
  if (ratios.empty()) return;
  std::sort(ratios.begin(), ratios.end());
  kernel.low = statistics::sorted_quantile(ratios, kOutside);
  kernel.high = statistics::sorted_quantile(ratios, 1 - kOutside);
  for (const std::size_t row : choice(measured.size(), kMostDrawn))
    kernel.drawn.push_back({(*fitted)[row], measured[row]});
}

Result<FittedKernel> fitted_kernel(const analysis::Run& run, const std::string& name, std::size_t most_rows) {
  auto table = analysis::kernel_table(run, name);
  if (!table) return table.error();
  if (table->parameters.empty()) return Error{.what = "none of its tasks was given its parameters"};
  FittedKernel kernel{.name = name, .rows = table->table.rows(), .is_of_samples = table->of_samples};
  const DataTable part = rows_of(table->table, choice(table->table.rows(), most_rows));
  auto fit = analysis::fit_model(part, {.target = analysis::kTimeColumn, .parameters = table->parameters});
  if (!fit) return fit.error();
  kernel.fit = *std::move(fit);
  add_rows(part, kernel);
  return kernel;
}

// Of the kernels that have parameters, as `foretask model fit` finds them; of many rows to a random choice, and of many
// kernels those with most rows: as much of it as some two seconds allow. What is left out is a note.
report::KernelModels page_kernel_models(const analysis::Run& run) {
  report::KernelModels models;
  std::vector<TableKernel> kernels = analysis::table_kernels(run);
  if (kernels.empty()) return models;
  std::erase_if(kernels, [](const TableKernel& kernel) { return kernel.parameters.empty(); });
  if (kernels.empty()) {
    models.notes.emplace_back(
        "No kernel of this run has parameters. Where the program names them (foretask_openmp_next() of "
        "foretask/openmp.h, foretask_scope_begin() of foretask/foretask.h; docs/learning.md), their effect on the time "
        "is shown here.");
    return models;
  }
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const TableKernel& a, const TableKernel& b) { return a.rows > b.rows; });
  const std::size_t affordable = kMostFittedVisits / std::max<std::size_t>(run.graph().size(), 1);
  const std::size_t shown = std::min({kernels.size(), kMostKernels, affordable});
  for (std::size_t i = 0; i < shown; ++i) {
    auto kernel = fitted_kernel(run, kernels[i].name, kMostRows / shown);
    if (kernel) {
      models.kernels.push_back(*std::move(kernel));
    } else {
      models.notes.push_back(fmt::format("No model of {}: {}.", kernels[i].name, kernel.error().what));
    }
  }
  if (shown < kernels.size())
    models.notes.push_back(fmt::format("Left out: {}. foretask model fit RUN --kernel NAME shows one.",
                                       report::format_count(kernels.size() - shown, "kernel with parameters",
                                                            "kernels with parameters and fewer tasks")));
  return models;
}

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
  for (const std::size_t size : report::even_choice(all.size(), kMostSizes)) sizes.push_back(all[size]);
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

// Shows progress. Errors: of `runs`, as from `foretask predict`, and that they are of another program.
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

// From the store's runs of the program on this machine.
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

using Facts = std::vector<std::pair<std::string, std::string>>;
using analysis::Report;
using report::SpeedUps;

// Nodes that all replays together go through: some two seconds.
constexpr double kMostVisits = 12e6;
constexpr double kLeastShare = 0.01;  // of the work, for a kernel to be made faster
// What is left out first comes first.
struct Extent {
  std::uint32_t most_cores;
  std::uint32_t replays;
  std::size_t kernels;
  std::vector<double> factors;
};
const std::array<Extent, 6> kExtents{{{64, 5, 10, {1.25, 1.5, 2, 3, 5, 10}},
                                      {64, 3, 8, {1.5, 2, 4}},
                                      {64, 1, 8, {1.5, 2, 4}},
                                      {64, 1, 5, {2}},
                                      {16, 1, 5, {2}},
                                      {64, 1, 0, {}}}};

std::vector<std::uint32_t> core_counts(std::uint32_t workers, std::uint32_t most) {
  std::set<std::uint32_t> cores{workers};
  for (std::uint32_t count = 1; count <= std::max(most, workers); count *= 2) cores.insert(count);
  return {cores.begin(), cores.end()};
}

// Those of the graph that the report calls so.
std::vector<std::pair<std::uint32_t, double>> faster(const std::vector<std::string>& names, const std::string& kernel,
                                                     double factor) {
  std::vector<std::pair<std::uint32_t, double>> all;
  for (std::uint32_t i = 0; i < names.size(); ++i)
    if (names[i] == kernel) all.emplace_back(i, factor);
  return all;
}

// Strands that replays on so many cores go through, one replay on each number: a team's work becomes one a thread.
double strands_on(const analysis::TaskGraph& graph, const std::vector<std::uint32_t>& cores) {
  double strands = 0;
  for (const std::uint32_t count : cores)
    strands += static_cast<double>(graph.size()) + static_cast<double>(graph.team.phases.size()) * count;
  return strands;
}

// On 1, 2, 4, ... cores, with the kernels of most work some factors faster: as much of it as some two seconds allow.
// Shows progress. Errors: simulate()'s.
Result<SpeedUps> page_speed_ups(const Input& input) {
  const Report& report = input.run->report();
  const analysis::TaskGraph& graph = input.graph();
  SpeedUps ups;
  const auto visits = [&](const Extent& extent) {
    return strands_on(graph, core_counts(report.workers, extent.most_cores)) * extent.replays *
           static_cast<double>(1 + extent.kernels * extent.factors.size());
  };
  const auto chosen =
      std::find_if(kExtents.begin(), kExtents.end(), [&](const Extent& one) { return visits(one) <= kMostVisits; });
  if (chosen == kExtents.end()) {
    ups.reason = fmt::format(
        "The run has {}: replays would take longer than this page. foretask simulate and foretask whatif do them.",
        report::format_count(graph.size(), "strand", "strands"));
    return ups;
  }
  const auto settings = replay_settings(input, {});
  if (!settings) return settings.error();
  const std::vector<std::uint32_t> cores = core_counts(report.workers, chosen->most_cores);
  analysis::ReplayGrid grid;
  grid.cores = cores;
  grid.replays = chosen->replays;
  for (std::uint32_t kernel = 0; kernel < report.kernels.size() && ups.kernels.size() < chosen->kernels; ++kernel) {
    const double share =
        report::ratio(static_cast<double>(report.kernels[kernel].work_ns), static_cast<double>(report.work_ns));
    if (share >= kLeastShare) ups.kernels.push_back(kernel);
  }
  ups.factors = chosen->factors;
  for (const std::uint32_t kernel : ups.kernels)
    for (const double factor : ups.factors)
      grid.scenarios.push_back({.speedups = faster(graph.kernel_names, report.kernels[kernel].name, factor)});
  const auto replays = run_replays(graph, *settings, grid);
  if (!replays) return replays.error();
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const analysis::SimulationResult& base = replays->front()[i];
    ups.points.push_back({cores[i], base.makespan_ns, base.lowest_ns, base.highest_ns});
  }
  for (std::size_t row = 1; row < replays->size(); ++row)
    for (const analysis::SimulationResult& result : (*replays)[row]) ups.makespans_ns.push_back(result.makespan_ns);
  ups.how = fmt::format("policy {}, the median of {}", analysis::policy_name(settings->policy),
                        report::format_count(replays->front().front().replays, "replay", "replays"));
  if (chosen->kernels == 0)
    ups.reason = fmt::format(
        "The run has {}: replays with faster kernels would take longer than this page. foretask whatif does them.",
        report::format_count(graph.size(), "strand", "strands"));
  return ups;
}

// Nodes that the replays with drawn times go through together: some two seconds.
constexpr double kMostDrawnVisits = 6e6;
constexpr std::array<std::uint32_t, 3> kReplays{200, 100, 40};

// On the numbers of cores of `ups`, as many as some two seconds allow. Shows progress. Errors: simulate()'s.
Result<report::Makespans> page_makespans(const Input& input, const report::SpeedUps& ups) {
  report::Makespans spans;
  analysis::ReplayGrid grid;
  for (const report::SpeedUpPoint& point : ups.points) grid.cores.push_back(point.cores);
  const double once = strands_on(input.graph(), grid.cores);
  const auto* const chosen = std::find_if(kReplays.begin(), kReplays.end(),
                                          [once](std::uint32_t count) { return once * count <= kMostDrawnVisits; });
  if (ups.points.empty() || chosen == kReplays.end()) {
    spans.reason = fmt::format(
        "The run has {}: replays with drawn task times would take longer than this page. foretask simulate RUN "
        "--samples 100 does them.",
        report::format_count(input.graph().size(), "strand", "strands"));
    return spans;
  }
  const auto settings = replay_settings(input, {});
  if (!settings) return settings.error();
  const auto sampled = run_samples(input, {.samples = *chosen, .runs = {}}, *settings, grid);
  if (!sampled) return sampled.error();
  spans.cores = grid.cores;
  spans.samples = sampled->points.front();
  spans.replays = *chosen;
  spans.tasks = sampled->tasks;
  spans.kept = sampled->kept;
  return spans;
}

// From then on the band of `ups` has 90 % of these replays.
void widen_band(const report::Makespans& spans, report::SpeedUps& ups) {
  if (spans.cores.empty()) return;
  for (std::size_t i = 0; i < ups.points.size(); ++i) {
    ups.points[i].lowest_ns = std::llround(spans.samples[i].quantiles_ns[report::kQ05]);
    ups.points[i].highest_ns = std::llround(spans.samples[i].quantiles_ns[report::kQ95]);
  }
  ups.band = "90 % of the replays whose task times are drawn from similar tasks";
}

void add_fact(Facts& facts, const char* what, std::string value) {
  if (!value.empty()) facts.emplace_back(what, std::move(value));
}

// `folder`: of the recording; empty: not told.
Facts facts_of(const analysis::Report& report, const std::string& folder) {
  const analysis::RecordingOrigin& origin = report.origin;
  Facts facts;
  add_fact(facts, "command", fmt::format("{}", fmt::join(report.command, " ")));
  add_fact(facts, "in the folder", origin.folder);
  add_fact(facts, "host", origin.host);
  add_fact(facts, "recording", folder);
  for (const auto& [name, value] : report.parameters) facts.emplace_back("parameter " + name, value);
  add_fact(facts, "recorded at", origin.started);
  add_fact(facts, "processor", origin.processor_model);
  if (origin.cores != 0)
    add_fact(facts, "cores",
             fmt::format("{}, of which the program was allowed {}", report::format_count(origin.cores, "core", "cores"),
                         report::format_count(origin.processors_usable, "processor", "processors")));
  if (origin.memory_bytes != 0)
    add_fact(facts, "memory", fmt::format("{:.1f} GiB", static_cast<double>(origin.memory_bytes) / (1U << 30U)));
  add_fact(facts, "runtime", origin.runtime_version.empty() ? report.runtime : origin.runtime_version);
  for (const auto& [name, value] : origin.environment) facts.emplace_back(name, value);
  add_fact(facts, "recorded by", origin.version.empty() ? "" : "foretask " + origin.version);
  add_fact(facts, "written by", "foretask " FORETASK_VERSION);
  return facts;
}

std::optional<std::pair<std::int64_t, std::int64_t>> stretch_of(const PageOptions& options) {
  if (!options.from_s && !options.to_s) return std::nullopt;
  const auto ns = [](double seconds) { return static_cast<std::int64_t>(std::llround(seconds * 1e9)); };
  return std::pair{ns(options.from_s.value_or(0)),
                   options.to_s ? ns(*options.to_s) : std::numeric_limits<std::int64_t>::max()};
}

}  // namespace

Result<void> write_report_page(analysis::Run run, const std::string& folder,
                               const std::optional<analysis::CutOffAdvice>& cut_off,
                               const std::vector<analysis::Efficiencies>& efficiencies, const PageOptions& options) {
  Input input;
  input.path = folder;
  input.run = std::move(run);
  auto ups = page_speed_ups(input);
  if (!ups) return ups.error();
  auto spans = page_makespans(input, *ups);
  if (!spans) return spans.error();
  widen_band(*spans, *ups);
  const analysis::Report report = options.is_anonymous ? report::anonymous(input.run->report()) : input.run->report();
  const std::string& program = input.run->report().program;
  auto predicted = options.with.empty() ? predicted_of_store(program) : predicted_of_runs(program, options.with);
  if (!predicted) return predicted.error();
  if (options.is_anonymous)
    for (std::string& warning : predicted->warnings) warning = report::without_paths(warning);
  const report::Timeline timeline{.graph = input.graph(),
                                  .places = [&input](analysis::NodeIndex node) { return input.run->place(node); },
                                  .program = report.program,
                                  .workers = report.workers,
                                  .is_recorded = true};
  auto output = report::Output::open(options.file);
  if (!output) return output.error();
  const report::PageContent content{
      .report = report,
      .timeline = timeline,
      .cut_off = cut_off,
      .efficiencies = efficiencies,
      .speed_ups = std::move(*ups),
      .kernel_models = page_kernel_models(*input.run),
      .span_part = [&input](analysis::NodeIndex node) { return input.run->span_part_ns(node); },
      .predicted = std::move(*predicted),
      .makespans = std::move(*spans),
      .origin = facts_of(report, options.is_anonymous ? "" : folder),
      .source_link = options.source_link,
      .stretch = stretch_of(options)};
  write_page(content, *output);
  return output->finish();
}

}  // namespace foretask::cli
