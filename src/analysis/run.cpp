// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/run.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <filesystem>
#include <utility>

#include "analysis/kernel_details.hpp"
#include "analysis/kernel_names.hpp"
#include "analysis/run_impl.hpp"
#include "analysis/run_report.hpp"
#include "analysis/scheduling_costs.hpp"
#include "base/huge_pages.hpp"
#include "base/process_rank.hpp"
#include "graph/reconstruction/graph_builder.hpp"
#include "graph/reconstruction/path_analysis.hpp"
#include "graph/reconstruction/trace_census.hpp"
#include "trace/process_folders.hpp"
#include "trace/trace_folder.hpp"

namespace foretask::analysis {
namespace {

// What makes the figures those of a part of the run only; empty where nothing does.
std::string loss_of(const trace::TraceFolder& trace, std::uint64_t dropped_events) {
  const std::uint32_t refused = trace.run.streams_refused;
  if (dropped_events != 0)
    return std::to_string(dropped_events) + (dropped_events == 1 ? " event was dropped" : " events were dropped");
  if (refused != 0) return std::to_string(refused) + (refused == 1 ? " thread is not in it" : " threads are not in it");
  for (std::size_t index = 0; index < trace.streams.size(); ++index) {
    const trace::StreamReader& stream = trace.streams[index];
    const bool is_short = stream.size_bytes() == 0 || (index < trace.run.stream_bytes.size() &&
                                                       stream.size_bytes() < trace.run.stream_bytes[index]);
    if (is_short || stream.damage().any()) return "stream_" + std::to_string(index) + " is cut short or damaged";
  }
  return wiring::has_ended(trace.run) ? ""
                                      : "the program was killed, ended by _exit(), exec(), or exit() in several "
                                        "threads at once, or is still running";
}

// Takes the edges, the strands' tasks and times and the like out of `recorded`.
TaskGraph make_task_graph(graph::RecordedGraph& recorded, std::vector<std::string> names, const RuntimeRules& rules,
                          std::int64_t grain_ns) {
  TaskGraph graph;
  graph.grain_ns = grain_ns;
  const std::size_t nodes = recorded.strands.size();
  graph::fill_successors(std::move(recorded.edges), nodes, graph);
  base::reserve_on_huge_pages(graph.kernel, nodes);
  for (const std::uint32_t task : recorded.strands.task) graph.kernel.push_back(recorded.kernel_of_task[task]);
  graph.duration_ns = std::move(recorded.strands.duration_ns);
  graph.subtrees = recorded.subtrees;
  graph.task_of_node = std::move(recorded.strands.task);
  if (std::find(recorded.strands.cores.begin(), recorded.strands.cores.end(), 0) != recorded.strands.cores.end())
    graph.cores = std::move(recorded.strands.cores);
  graph.parent_of_task = std::move(recorded.parent_of_task);
  if (!rules.ties_all_tasks) graph.task_is_untied = std::move(recorded.task_is_untied);
  graph.dependences_of_task = std::move(recorded.dependences_of_task);
  graph.kernel_names = std::move(names);
  graph.team_start = recorded.team_start;
  graph.team = std::move(recorded.team);
  graph.team.guided_halves = rules.guided_halves;
  graph.locks = std::move(recorded.locks);
  return graph;
}

// When the program began: the launcher's word for it, else when the tool was first entered.
base::Ticks start_ticks(const trace::RunFile& run, const graph::TraceCensus& census) {
  base::Ticks entered = census.first_ticks;
  if (run.start.ticks != 0) entered = std::min(entered, run.start.ticks);
  if (run.launch_ns == 0 || run.launch_ns > run.start.monotonic_ns) return entered;
  const double before = static_cast<double>(run.start.monotonic_ns - run.launch_ns) * run.ticks_per_second * 1e-9;
  if (before >= static_cast<double>(run.start.ticks)) return entered;
  return std::min(entered, run.start.ticks - static_cast<base::Ticks>(before));
}

// When the program was gone, from `start` on, the tool's own time at its end taken out; 0 when nobody saw it go.
std::int64_t exit_ns(const trace::RunFile& run, base::Ticks start) {
  if (run.end.ticks <= start || run.exit_ns == 0) return 0;
  const double to_end = static_cast<double>(run.end.ticks - start) / run.ticks_per_second * 1e9;
  return std::llround(to_end) + std::max<std::int64_t>(0, run.exit_ns - run.end.monotonic_ns - run.tool_end_ns);
}

graph::BuildOptions build_options(const trace::RunFile& run, const graph::TraceCensus& census) {
  graph::BuildOptions build;
  build.ticks_per_second = run.ticks_per_second;
  build.start_ticks = start_ticks(run, census);
  build.probe_costs = wiring::with_listening(run.probe_costs, run.runtime_costs.listen_ns);
  build.team_costs = run.runtime_costs.teams;
  build.main_thread = run.pid;
  build.processors = run.machine.processors_usable;
  build.exit_ns = exit_ns(run, build.start_ticks);
  build.counter_bias = wiring::counter_bias(run);
  return build;
}

// Why there is no event in `trace`, which was read.
std::string nothing_to_read(const trace::TraceFolder& trace) {
  if (const auto damage = wiring::damage_of(trace); !damage.empty())
    return "holds no event that can be read: " + damage.front();
  const bool is_lost = !trace.run.stream_bytes.empty() && !trace.warnings.empty();
  return is_lost ? "holds no event: " + trace.warnings.back() : "holds no event: nothing was recorded";
}

// A recording that was read to its end.
struct Recording {
  trace::TraceFolder trace;
  base::Ticks start_ticks = 0;
  graph::RecordedGraph graph;
  wiring::CodeNames names;
};

Result<Recording> read_recording(const std::string& folder, bool rename_buffers, const Progress& progress) {
  Result<trace::TraceFolder> trace = trace::open_trace_folder(folder);
  if (!trace) return trace.error();
  trace->run.runtime_costs = wiring::known_runtime_costs(trace->run);
  std::uint64_t total = 1;
  for (const trace::StreamReader& stream : trace->streams) total += stream.size_bytes();
  std::uint64_t done = 0;
  const graph::TraceCensus census = graph::take_census(trace->streams, [&](std::uint64_t bytes) {
    done += bytes;
    progress(0.2 * static_cast<double>(done) / static_cast<double>(total), "reading");
  });
  if (census.events == 0) return Error{nothing_to_read(*trace), folder};
  graph::BuildOptions build = build_options(trace->run, census);
  build.named_codes = wiring::named_codes(*trace);
  build.rename_buffers = rename_buffers;
  build.on_events = [&](std::uint64_t events) {
    progress(0.2 + 0.6 * static_cast<double>(events) / static_cast<double>(census.events), "building the graph");
  };
  graph::RecordedGraph graph = graph::build_graph(trace->streams, census, build);
  wiring::CodeNames names = wiring::code_names(graph, *trace, trace->warnings);
  return Recording{std::move(*trace), build.start_ticks, std::move(graph), std::move(names)};
}

// The same program's recording with other counters: what they say of the kernels of the same names.
Result<void> add_counter_run(const std::string& folder, std::uint32_t number, Report& report) {
  const Result<Recording> recording = read_recording(folder, false, [](double, const char*) {});
  if (!recording) return recording.error();
  const auto& [trace, start, graph, names] = *recording;
  const std::vector<wiring::KernelDetails> details = wiring::kernel_details(graph, trace);
  wiring::add_counters(trace.run, number, report);
  for (const std::string& warning : trace.warnings) report.warnings.push_back(folder + ": " + warning);
  for (const std::string& damage : wiring::damage_of(trace)) report.warnings.push_back(folder + ": " + damage);
  for (KernelSummary& kernel : report.kernels)
    for (std::size_t i = 0; i < names.kernels.size(); ++i)
      if (names.kernels[i] == kernel.name) wiring::merge_details(details[i], number, kernel);
  if (graph.tasks != report.tasks)
    report.warnings.push_back(folder + ": ran " + std::to_string(graph.tasks) + " tasks, not " +
                              std::to_string(report.tasks) + ". Its counters count other work");
  return {};
}

void add_counter_runs(const std::string& folder, const trace::RunFile& run, Report& report) {
  std::error_code ignored;
  const std::string first = std::filesystem::canonical(folder, ignored).string();
  for (std::uint32_t number = 1; number < run.counter_runs; ++number) {
    const Result<void> added = add_counter_run(counter_run_folder(first, number + 1), number, report);
    if (!added) report.warnings.push_back("the counters of another run are missing: " + added.error().message());
  }
  for (KernelSummary& kernel : report.kernels) wiring::add_ratios_across_runs(kernel);
}

}  // namespace

TimeRange unrecorded_time(const Report& report) {
  const bool has_baseline = report.baseline && report.baseline->own.ended_like(report.baseline->recorded);
  if (has_baseline && report.not_of_interest_ns == 0)
    return {report.baseline->own.elapsed_ns, report.baseline->own.elapsed_ns};
  constexpr double kMuch = 0.05;  // of the elapsed time
  const std::int64_t took_ns = report.recording_ns();
  if (static_cast<double>(took_ns) <= kMuch * static_cast<double>(report.elapsed_ns))
    return {report.elapsed_ns, report.elapsed_ns};
  return {std::max<std::int64_t>(0, report.elapsed_ns - took_ns), report.elapsed_ns + took_ns};
}

Run::Run(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;
Run::~Run() = default;

Result<void> Run::compare_with_base(const Run& base, const std::string& folder) {
  return wiring::compare_with_base(base.report(), folder, impl_->report);
}
const Report& Run::report() const { return impl_->report; }
const TaskGraph& Run::graph() const { return impl_->graph; }

StrandPlace Run::place(NodeIndex strand) const {
  const graph::StrandTable& strands = impl_->recorded.strands;
  return {strands.begin_ns[strand], strands.end_ns[strand], strands.worker[strand]};
}

std::int64_t Run::span_part_ns(NodeIndex strand) const {
  return impl_->span_parts.of(strand, impl_->graph.duration_ns[strand]);
}

std::vector<std::int64_t> Run::Impl::task_times() const {
  std::vector<std::int64_t> times(graph.parent_of_task.size(), kNoDuration);
  for (std::size_t node = 0; node < graph.size(); ++node) {
    if (!graph.occupies_worker(node)) continue;
    std::int64_t& time = times[graph.task_of_node[node]];
    time = std::max<std::int64_t>(time, 0) + graph.duration_ns[node];
  }
  return times;
}

Result<Run> Run::open(const std::string& folder, const OpenOptions& options) {
  try {
    const Progress progress = [&](double part, const char* what) {
      if (options.progress) options.progress(part, what);
    };
    Result<Recording> recording = read_recording(folder, options.rename_buffers, progress);
    if (!recording) return recording.error();
    auto& [trace, start, recorded, names] = *recording;
    progress(0.8, "finding the critical paths");
    auto impl = std::make_unique<Impl>();
    impl->report = wiring::make_report(trace, recorded, names, options.burden,
                                       wiring::scheduling_costs(trace.run, recorded, start), impl->span_parts);
    add_counter_runs(folder, trace.run, impl->report);
    impl->report.processes = options.processes;
    impl->loss = loss_of(trace, impl->report.dropped_events);
    progress(0.95, "arranging the graph");
    impl->graph = make_task_graph(recorded, std::move(names.kernels), impl->report.costs.rules, trace.run.grain_ns);
    trace.streams.clear();
    impl->trace = std::move(trace);
    impl->recorded = std::move(recorded);
    progress(1, "done");
    return Run(std::move(impl));
  } catch (const std::bad_alloc&) {
    return Error{"is too large for the memory of this machine", folder};
  } catch (const std::exception& problem) {
    return Error{problem.what(), folder};
  }
}

std::string threads_run_folder(const std::string& folder, std::uint32_t threads) {
  return folder + "/p=" + std::to_string(threads);
}

std::vector<std::string> threads_run_folders(const std::string& folder) {
  constexpr std::string_view kPrefix = "p=";
  std::vector<std::uint32_t> all;
  std::error_code problem;
  for (std::filesystem::directory_iterator at(folder, problem); !problem && at != std::filesystem::directory_iterator();
       at.increment(problem)) {
    const std::string name = at->path().filename().string();
    std::uint32_t threads = 0;
    const auto [end, error] =
        std::from_chars(name.data() + std::min(kPrefix.size(), name.size()), name.data() + name.size(), threads);
    if (name.starts_with(kPrefix) && error == std::errc() && end == name.data() + name.size() &&
        is_run_folder(at->path().string()))
      all.push_back(threads);
  }
  std::ranges::sort(all);
  std::vector<std::string> folders;
  for (const std::uint32_t threads : all) folders.push_back(threads_run_folder(folder, threads));
  return folders;
}

std::string counter_run_folder(const std::string& first, std::uint32_t number) {
  return trace::process_folder(first, number);
}

std::string rank_run_folder(const std::string& folder) {
  const auto place = base::read_process_rank();
  return place ? base::rank_folder(folder, place->rank) : folder;
}

std::string rank_run_folder(const std::string& folder, std::uint32_t rank) { return base::rank_folder(folder, rank); }

bool is_run_folder(const std::string& path) { return trace::is_trace_folder(path); }

}  // namespace foretask::analysis
