// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>

#include "analysis/scheduling_costs.hpp"
#include "base/file.hpp"
#include "graph/reconstruction/graph_builder.hpp"
#include "graph/reconstruction/trace_census.hpp"
#include "model/store/store.hpp"
#include "runtime/recording/topology.hpp"
#include "statistics/quantile.hpp"
#include "trace/run_costs.hpp"
#include "trace/run_file.hpp"
#include "trace/trace_folder.hpp"

namespace foretask::analysis {
namespace {

// Of loops that hand out iterations one by one and do nothing. A thread that is alone is given all of them at once.
std::int64_t chunk_ns(const graph::RecordedGraph& graph) {
  if (graph.workers < 2) return 0;
  double ns = 0;
  for (const analysis::TeamStrand& strand : graph.team.strands)
    if (strand.loop != analysis::kNoLoop) ns += static_cast<double>(graph.strands.duration_ns[strand.node]);
  double chunks = 0;
  for (const analysis::TeamLoop& loop : graph.team.loops) chunks += static_cast<double>(loop.hand_outs);
  return chunks > 0 ? std::llround(ns / chunks) : 0;
}

// Of a critical section that all threads want all the time: from one's release to the next one's start. In a cycle of
// a thread each of them holds it once.
std::int64_t lock_ns(const graph::RecordedGraph& graph, double probe_ns) {
  if (graph.workers < 2 || graph.locks.empty()) return 0;
  double times = 0;
  double held_ns = 0;
  double all_ns = 0;
  for (const LockHold& hold : graph.locks) {
    times += static_cast<double>(hold.times);
    held_ns += static_cast<double>(hold.held_ns);
    all_ns += static_cast<double>(graph.kernel_totals[hold.kernel].work_ns + hold.waited_ns);
  }
  const double cycle_ns = all_ns / times;
  return std::max<std::int64_t>(0, std::llround(cycle_ns / graph.workers - held_ns / times - probe_ns));
}

// How much longer it takes for each dependence: tasks with kMostDependences against those with one.
std::int64_t of_dependence_ns(
    const std::array<statistics::TimeHistogram, graph::RuntimeTimes::kMostDependences + 1>& by) {
  constexpr std::uint64_t kEnoughTimes = 16;
  if (by[1].count() < kEnoughTimes || by.back().count() < kEnoughTimes) return 0;
  constexpr std::size_t kFarther = 2;
  const double more_ns = by.back().mean_ns(kFarther) - by[1].mean_ns(kFarther);
  return std::max(0LL, std::llround(more_ns / (graph::RuntimeTimes::kMostDependences - 1)));
}

struct Recording {
  trace::TraceFolder trace;
  graph::RecordedGraph graph;
};

Result<Recording> read(const std::string& folder) {
  Result<trace::TraceFolder> trace = trace::open_trace_folder(folder);
  if (!trace) return trace.error();
  const graph::TraceCensus census = graph::take_census(trace->streams, [](std::uint64_t) {});
  graph::BuildOptions build;
  build.ticks_per_second = trace->run.ticks_per_second;
  build.start_ticks = census.first_ticks;
  build.probe_costs = trace->run.probe_costs;
  build.main_thread = trace->run.pid;
  graph::RecordedGraph graph = graph::build_graph(trace->streams, census, build);
  if (graph.tasks == 0) return Error{"holds no task: nothing can be said of the runtime", folder};
  return Recording{*std::move(trace), std::move(graph)};
}

// The costs that one recording shows, which are those of one number of threads.
Result<RuntimeCosts> measure(const std::string& folder) {
  const Result<Recording> recording = read(folder);
  if (!recording) return recording.error();
  const auto& [trace, graph] = *recording;
  const RuntimeRules rules = runtime_rules(trace.run.runtime, trace.run.runtime_version);
  const trace::Module* const library = trace::runtime_module(trace.run.modules, rules);
  if (library == nullptr) return Error{"names no runtime of tasks with a build id", folder};
  TeamCosts costs{.threads = graph.workers};
  wiring::add_recorded_gaps(graph.runtime, costs);
  wiring::add_empty_strands(graph.runtime, costs);
  costs.depend_ns = of_dependence_ns(graph.runtime.creations);
  costs.release_ns = of_dependence_ns(graph.runtime.ends);
  costs.chunk_ns = chunk_ns(graph);
  costs.lock_ns = lock_ns(graph, trace.run.probe_costs[FORETASK_EVENT_LOCK_ACQUIRED]);
  // Without those of the parts in which all threads use one deque.
  constexpr std::size_t kAlone = 1;
  costs.next_ns = std::llround(graph.runtime.ends[0].mean_ns(kAlone));
  return RuntimeCosts{.library = library->build_id,
                      .fingerprint = trace.run.machine.fingerprint,
                      .measured = trace.run.started,
                      .teams = {costs}};
}

constexpr double kWaitsOfTree = 0.5;  // a task

// How far the repetitions lie apart. Of five and more the least and the most are left out.
double spread_of(const std::vector<TeamCosts>& repetitions) {
  std::vector<double> tasks_ns;
  for (const TeamCosts& costs : repetitions) tasks_ns.push_back(task_costs(costs, kWaitsOfTree).ns());
  std::sort(tasks_ns.begin(), tasks_ns.end());
  const std::size_t left_out = tasks_ns.size() < 5 ? 0 : 1;
  return tasks_ns[tasks_ns.size() - 1 - left_out] / std::max(1.0, tasks_ns[left_out]) - 1;
}

// What a listener takes of a task beside its probes, each by the fastest run: others may hold the core at any time, and
// take more. More threads take no longer, but their waits for each other would hide it.
Result<double> listening_ns(const std::vector<TreeRun>& runs) {
  double alone_ns = std::numeric_limits<double>::infinity();
  double listened_ns = alone_ns;
  double probes_ns = alone_ns;
  for (const TreeRun& run : runs) {
    if (run.recording.empty()) {
      alone_ns = std::min(alone_ns, run.task_ns);
      continue;
    }
    const Result<Recording> recording = read(run.recording);
    if (!recording) return recording.error();
    listened_ns = std::min(listened_ns, run.task_ns);
    const graph::RecordedGraph& graph = recording->graph;
    probes_ns = std::min(probes_ns, static_cast<double>(graph.probe_ns) / static_cast<double>(graph.tasks));
  }
  const double more_ns = listened_ns - probes_ns - alone_ns;
  return std::isfinite(more_ns) ? std::max(0.0, more_ns) : 0.0;
}

// Takes what the listener costs out of what a task costs, from each of its parts as large a share.
void leave_out_listening(double listening_ns, TeamCosts& costs) {
  const double task_ns = task_costs(costs, kWaitsOfTree).ns();
  if (!(task_ns > 0)) return;
  constexpr double kMost = 0.75;
  const double left = 1 - std::min(kMost, listening_ns / task_ns);
  for (std::int64_t TeamCosts::*const ns :
       {&TeamCosts::create_ns, &TeamCosts::wait_ns, &TeamCosts::body_ns, &TeamCosts::at_once_ns,
        &TeamCosts::dispatch_ns, &TeamCosts::next_ns, &TeamCosts::resume_ns, &TeamCosts::pass_ns})
    costs.*ns = std::llround(static_cast<double>(costs.*ns) * left);
}

}  // namespace

Result<RuntimeCosts> runtime_costs_of(const std::vector<std::string>& recordings, const std::vector<TreeRun>& trees) {
  if (recordings.empty()) return Error{.what = "no recording of the calibration program was given"};
  const Result<double> listening = listening_ns(trees);
  if (!listening) return listening.error();
  RuntimeCosts all{.listen_ns = std::llround(*listening)};
  std::map<std::uint32_t, std::vector<TeamCosts>> by_threads;
  for (const std::string& folder : recordings) {
    const Result<RuntimeCosts> measured = measure(folder);
    if (!measured) return measured.error();
    if (all.library.empty()) {
      all.library = measured->library;
      all.fingerprint = measured->fingerprint;
    }
    if (measured->library != all.library || measured->fingerprint != all.fingerprint)
      return Error{"is of another runtime or machine than the recordings before", folder};
    all.measured = measured->measured;
    by_threads[measured->teams.front().threads].push_back(measured->teams.front());
  }
  for (const auto& [threads, measured] : by_threads) {
    TeamCosts costs{.threads = threads};
    for (const TeamCostField& field : kTeamCostFields) {
      std::vector<double> values;
      for (const TeamCosts& one : measured) values.push_back(static_cast<double>(one.*field.ns));
      costs.*field.ns = std::llround(statistics::median(std::move(values)));
    }
    leave_out_listening(*listening, costs);
    all.spread = std::max(all.spread, spread_of(measured));
    all.teams.push_back(costs);
  }
  return all;
}

Result<std::string> runtime_costs_file(const std::string& library) {
  const Result<std::string> home = model::store_home({});
  if (!home) return home.error();
  return trace::runtime_costs_path(*home, runtime::read_machine().fingerprint, library);
}

std::optional<RuntimeCosts> stored_runtime_costs(const std::string& library) {
  const Result<std::string> path = runtime_costs_file(library);
  if (!path) return std::nullopt;
  Result<RuntimeCosts> costs = trace::read_runtime_costs(*path);
  if (!costs || costs->library != library) return std::nullopt;
  return *std::move(costs);
}

std::optional<UncalibratedRuntime> uncalibrated_runtime(const std::string& recording, std::uint32_t threads) {
  const Result<trace::RunFile> run = trace::read_run_file(recording + "/run.json");
  if (!run || run->runtime.empty()) return std::nullopt;
  const RuntimeRules rules = runtime_rules(run->runtime, run->runtime_version);
  const trace::Module* const module = trace::runtime_module(run->modules, rules);
  if (rules.queue == RuntimeRules::Queue::kNone || module == nullptr) return std::nullopt;
  UncalibratedRuntime runtime;
  runtime.tried_threads = wiring::known_runtime_costs(*run).tried_threads;
  if (runtime.tried_threads >= threads) return std::nullopt;
  runtime.name = rules.library.empty() ? "libomp" : rules.is_openmp ? "libgomp" : "libtbb";
  runtime.file = module->path;
  runtime.library = module->build_id;
  runtime.is_elsewhere = run->machine.fingerprint != runtime::read_machine().fingerprint;
  return runtime;
}

Result<std::string> store_runtime_costs(const RuntimeCosts& costs) {
  const Result<std::string> path = runtime_costs_file(costs.library);
  if (!path) return path.error();
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(*path).parent_path(), error);
  if (const auto written = base::write_file_atomically(*path, trace::runtime_costs_json(costs)); !written)
    return written.error();
  return *path;
}

}  // namespace foretask::analysis
