// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/run.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <utility>

#include "analysis/kernel_details.hpp"
#include "analysis/kernel_names.hpp"
#include "analysis/run_impl.hpp"
#include "analysis/speculative_sections.hpp"
#include "base/file.hpp"
#include "base/huge_pages.hpp"
#include "base/process_rank.hpp"
#include "graph/replay/graph_builder.hpp"
#include "graph/replay/path_analysis.hpp"
#include "graph/replay/trace_census.hpp"
#include "statistics/running_variance.hpp"
#include "trace/trace_folder.hpp"

namespace foretask::analysis {
namespace {

// What is left where nothing was stolen: the order of a thread's being woken by another's store.
constexpr std::int64_t kDefaultBurdenNs = 1000;
// Tasks that a deque of LLVM's runtime holds before the creator runs the next one itself.
constexpr std::uint32_t kLlvmDequeCapacity = 256;
// Above this the sums and the clock disagree by more than rounding.
constexpr double kIdentityTolerance = 1e-6;
// One start and one end are a sample of one. What is longer than this was something else on the machine, and would be
// multiplied by every core asked for.
constexpr long long kMostThreadNs = 150'000;
// Fewer gaps than this give no median worth the name.
constexpr std::size_t kEnoughGaps = 16;

std::int64_t median_above(std::vector<std::int64_t> gaps, double probe_ns, std::int64_t fallback) {
  if (gaps.size() < kEnoughGaps) return fallback;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return std::max<std::int64_t>(0, *middle - std::llround(probe_ns));
}

CriticalPath critical_path(const graph::Path& path, const graph::RecordedGraph& graph) {
  CriticalPath result;
  std::vector<std::int64_t> by_kernel(graph.kernels.size());
  std::int64_t end_before = 0;
  for (const NodeIndex node : path.nodes) {
    const std::int64_t duration = graph.strands.duration_ns[node];
    result.work_ns += duration;
    result.delay_ns += std::max<std::int64_t>(0, graph.strands.begin_ns[node] - end_before);
    end_before = graph.strands.end_ns[node];
    by_kernel[graph.kernel_of_task[graph.strands.task[node]]] += duration;
  }
  for (std::uint32_t kernel = 0; kernel < by_kernel.size(); ++kernel)
    if (by_kernel[kernel] != 0) result.kernels.emplace_back(kernel, by_kernel[kernel]);
  std::sort(result.kernels.begin(), result.kernels.end(),
            [](const auto& a, const auto& b) { return a.second > b.second; });
  return result;
}

// In words, of the streams that were read.
std::vector<std::string> damage_of(const trace::TraceFolder& trace) {
  std::vector<std::string> texts;
  for (std::size_t index = 0; index < trace.streams.size(); ++index) {
    std::string text = trace::damage_text(static_cast<std::uint32_t>(index), trace.streams[index].damage());
    if (!text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

void warn_of_damage(const trace::TraceFolder& trace, Report& report) {
  // Each stream counts its own losses as they happen; the description has their sum when the run ended in order.
  std::uint64_t dropped = 0;
  for (const trace::StreamReader& stream : trace.streams) dropped += stream.events_discarded();
  report.dropped_events = std::max(dropped, trace.run.dropped_events);
  if (trace.run.dropped_events == 0 && dropped != 0)
    report.warnings.push_back(std::to_string(dropped) + " events were dropped: no figure contains them");
  for (std::string& damage : damage_of(trace)) report.warnings.push_back(std::move(damage));
}

bool has_ended(const trace::RunFile& run) {
  return run.state == "complete" || (run.exit_ns != 0 && run.exit_signal == 0);
}

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
  return has_ended(trace.run) ? "" : "the program was killed, ended by _exit() or exec(), or is still running";
}

void warn_of_graph(const graph::RecordedGraph& graph, Report& report) {
  // Messages between processes are worth a recording without any task.
  const graph::MessageFacts& messages = graph.messages;
  const bool has_messages = !messages.sent.empty() || !messages.received.empty() || !messages.collectives.empty();
  if (graph.tasks == 0 && !has_messages)
    report.warnings.emplace_back(
        "no explicit task was recorded: the program has none, or reached none. Iterations of parallel loops are not "
        "seen, so predictions for more cores do not hold for them");
  if (graph.unfinished_tasks != 0)
    report.warnings.push_back(std::to_string(graph.unfinished_tasks) +
                              (graph.unfinished_tasks == 1 ? " task" : " tasks") +
                              " had not ended when the recording ended");
  if (graph.anomalies != 0)
    report.warnings.push_back(std::to_string(graph.anomalies) + " events contradict earlier ones and were left out");
  if (report.identity_error > kIdentityTolerance)
    report.warnings.push_back(
        "work + delay + no_work differs from workers x elapsed by " + std::to_string(100 * report.identity_error) +
        " %" + (graph.oversubscribed_ns > 0 ? ": more threads ran tasks than the runtime's teams have" : ""));
}

// The kernels that ran, most work first, and the paths in terms of them.
void add_kernels(const graph::RecordedGraph& graph, const std::vector<std::string>& names,
                 const std::vector<std::string>& codes, const std::vector<wiring::KernelDetails>& details,
                 Report& report) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t kernel = 0; kernel < graph.kernels.size(); ++kernel)
    if (graph.kernel_totals[kernel].count != 0) order.push_back(kernel);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return graph.kernel_totals[a].work_ns > graph.kernel_totals[b].work_ns;
  });
  std::vector<std::uint32_t> place(graph.kernels.size());
  for (const std::uint32_t kernel : order) {
    const graph::KernelTotals& totals = graph.kernel_totals[kernel];
    KernelSummary summary;
    summary.name = names[kernel];
    summary.code = codes[kernel];
    summary.count = totals.count;
    summary.work_ns = totals.work_ns;
    summary.mean_ns = totals.mean_ns;
    if (totals.count > 1 && totals.mean_ns > 0)
      summary.cv = std::sqrt(totals.squares / static_cast<double>(totals.count - 1)) / totals.mean_ns;
    wiring::merge_details(details[kernel], 0, summary);
    place[kernel] = static_cast<std::uint32_t>(report.kernels.size());
    report.kernels.push_back(std::move(summary));
  }
  for (CriticalPath* path : {&report.longest_work, &report.last_finisher, &report.largest_delay})
    for (auto& [kernel, ns] : path->kernels) kernel = place[kernel];
  for (const auto& [kernel, ns] : report.longest_work.kernels) report.kernels[kernel].critical_path_ns = ns;
}

void add_samples(const graph::RecordedGraph& graph, const trace::TraceFolder& trace, Report& report) {
  for (const auto& [id, samples] : graph.samples) {
    SampledKernel sampled;
    const trace::KernelDefinition* const definition = trace.kernel(id);
    sampled.name = definition ? definition->name : "(kernel " + std::to_string(id) + ")";
    if (definition) sampled.parameters = definition->parameters;
    statistics::RunningVariance durations;
    for (const double duration : samples.duration_ns) {
      sampled.total_ns += duration;
      durations.add(duration);
    }
    sampled.count = samples.duration_ns.size();
    sampled.mean_ns = durations.mean();
    sampled.cv = durations.relative_sd();
    report.samples.push_back(std::move(sampled));
  }
  std::stable_sort(report.samples.begin(), report.samples.end(),
                   [](const SampledKernel& a, const SampledKernel& b) { return a.total_ns > b.total_ns; });
}

void add_counters(const trace::RunFile& run, std::uint32_t number, Report& report) {
  for (const trace::Counter& counter : run.counters)
    report.counters.push_back({counter.name, counter.status, counter.reason, number});
}

Report make_report(const trace::TraceFolder& trace, const graph::RecordedGraph& graph,
                   const std::vector<std::string>& names, const std::optional<Burden>& burden) {
  Report report;
  report.program = trace.run.program;
  report.runtime = trace.run.runtime;
  report.command = trace.run.command;
  report.parameters = trace.run.params;
  report.unfinished_tasks = graph.unfinished_tasks;
  report.has_ended = has_ended(trace.run);
  report.warnings = trace.warnings;
  report.workers = graph.workers;
  report.elapsed_ns = graph.elapsed_ns;
  report.recorded_elapsed_ns = graph.recorded_elapsed_ns;
  report.tasks = graph.tasks;
  report.strands = graph.strands.size();
  report.edges = graph.edges.size();
  report.work_ns = graph.work_ns;
  report.delay_ns = graph.delay_ns;
  report.no_work_ns = graph.no_work_ns;
  report.blocked_ns = graph.blocked_ns;
  report.outside_ns = graph.outside_ns;
  report.probe_ns = graph.probe_ns;
  report.create_task = graph.create_task;
  report.cancelled_tasks = graph.cancelled_tasks;
  report.wait_tasks = graph.wait_tasks;
  report.barriers = graph.barriers;
  report.profile = graph.profile;

  const double probe = trace.run.probe_costs[FORETASK_EVENT_TASK_END];
  report.costs.dispatch_ns = median_above(graph.gaps.own, probe, 0);
  report.costs.steal_ns = median_above(graph.gaps.stolen, probe, kDefaultBurdenNs);
  report.costs.deque_capacity = kLlvmDequeCapacity;
  report.burden_ns = burden ? std::llround(burden->ns + burden->instructions * 1e9 / trace.run.ticks_per_second)
                            : report.costs.steal_ns;

  const double workers_elapsed = static_cast<double>(graph.workers) * static_cast<double>(graph.elapsed_ns);
  const double sum =
      static_cast<double>(graph.work_ns) + static_cast<double>(graph.delay_ns) + static_cast<double>(graph.no_work_ns);
  report.identity_error = workers_elapsed > 0 ? std::abs(sum - workers_elapsed) / workers_elapsed : 0;

  const graph::Path longest = graph::longest_work_path(graph);
  report.span_ns = longest.length;
  report.longest_work = critical_path(longest, graph);
  report.burdened_span_ns = graph::burdened_span_ns(graph, report.burden_ns);
  report.last_finisher = critical_path(graph::last_finisher_path(graph), graph);
  report.largest_delay = critical_path(graph::largest_delay_path(graph), graph);

  add_kernels(graph, names, wiring::kernel_codes(graph.kernels, trace), wiring::kernel_details(graph, trace), report);
  add_samples(graph, trace, report);
  report.speculative = wiring::speculative_sections(graph, names);
  add_counters(trace.run, 0, report);
  report.counter_sampling = trace.run.counter_sampling;
  warn_of_damage(trace, report);
  warn_of_graph(graph, report);
  return report;
}

TaskGraph make_task_graph(graph::RecordedGraph&& recorded, std::vector<std::string> names) {
  TaskGraph graph;
  const std::size_t nodes = recorded.strands.size();
  graph::fill_successors(std::move(recorded.edges), nodes, graph);
  base::reserve_on_huge_pages(graph.kernel, nodes);
  for (const std::uint32_t task : recorded.strands.task) graph.kernel.push_back(recorded.kernel_of_task[task]);
  graph.duration_ns = std::move(recorded.strands.duration_ns);
  graph.task_of_node = std::move(recorded.strands.task);
  if (std::find(recorded.strands.cores.begin(), recorded.strands.cores.end(), 0) != recorded.strands.cores.end())
    graph.cores = std::move(recorded.strands.cores);
  graph.parent_of_task = std::move(recorded.parent_of_task);
  graph.task_is_untied = std::move(recorded.task_is_untied);
  graph.kernel_names = std::move(names);
  graph.team_start = recorded.team_start;
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
  build.probe_costs = run.probe_costs;
  build.main_thread = run.pid;
  build.exit_ns = exit_ns(run, build.start_ticks);
  build.counter_bias = wiring::counter_bias(run);
  return build;
}

// The same program's recording with other counters: what they say of the kernels of the same names.
Result<void> add_counter_run(const std::string& folder, std::uint32_t number, Report& report) {
  Result<trace::TraceFolder> trace = trace::open_trace_folder(folder);
  if (!trace) return trace.error();
  const graph::TraceCensus census = graph::take_census(trace->streams, [](std::uint64_t) {});
  if (census.events == 0) return Error{"holds no event", folder};
  const graph::RecordedGraph recorded = graph::build_graph(trace->streams, census, build_options(trace->run, census));
  const std::vector<std::string> names = wiring::kernel_names(recorded.kernels, *trace, trace->warnings);
  const std::vector<wiring::KernelDetails> details = wiring::kernel_details(recorded, *trace);
  add_counters(trace->run, number, report);
  for (const std::string& warning : trace->warnings) report.warnings.push_back(folder + ": " + warning);
  for (const std::string& damage : damage_of(*trace)) report.warnings.push_back(folder + ": " + damage);
  for (KernelSummary& kernel : report.kernels)
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == kernel.name) wiring::merge_details(details[i], number, kernel);
  if (recorded.tasks != report.tasks)
    report.warnings.push_back(folder + ": ran " + std::to_string(recorded.tasks) + " tasks, not " +
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

// What a thread more costs: its share of the first team's start and of what the runtime did at its end.
std::int64_t thread_ns(const trace::RunFile& run, const graph::RecordedGraph& graph, base::Ticks start) {
  if (graph.first_team_size < 2) return 0;
  double total = static_cast<double>(graph.team_start_ns);
  if (run.end.ticks > start && graph.program_end_ns > 0)
    total += std::max(0.0, static_cast<double>(run.end.ticks - start) / run.ticks_per_second * 1e9 -
                               static_cast<double>(graph.program_end_ns));
  return std::min(kMostThreadNs, std::llround(total / (graph.first_team_size - 1)));
}

// Why there is no event in `trace`, which was read.
std::string nothing_to_read(const trace::TraceFolder& trace) {
  if (const auto damage = damage_of(trace); !damage.empty())
    return "holds no event that can be read: " + damage.front();
  const bool is_lost = !trace.run.stream_bytes.empty() && !trace.warnings.empty();
  return is_lost ? "holds no event: " + trace.warnings.back() : "holds no event: nothing was recorded";
}

// A damaged description is left as it is: written again, it would look whole.
Result<trace::RunFile> read_to_rewrite(const std::string& path) {
  Result<trace::RunFile> run = trace::read_run_file(path);
  if (run && (run->is_changed || !run->wrong_fields.empty())) return Error{"is damaged, and is left as it is", path};
  return run;
}

}  // namespace

Run::Run(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;
Run::~Run() = default;

const Report& Run::report() const { return impl_->report; }
const TaskGraph& Run::graph() const { return impl_->graph; }

StrandPlace Run::place(NodeIndex strand) const {
  return {impl_->begin_ns[strand], impl_->end_ns[strand], impl_->worker[strand]};
}

Result<Run> Run::open(const std::string& folder, const OpenOptions& options) {
  Result<trace::TraceFolder> trace = trace::open_trace_folder(folder);
  if (!trace) return trace.error();
  try {
    std::uint64_t total = 1;
    for (const trace::StreamReader& stream : trace->streams) total += stream.size_bytes();
    std::uint64_t done = 0;
    const auto progress = [&](double part, const char* what) {
      if (options.progress) options.progress(part, what);
    };
    const graph::TraceCensus census = graph::take_census(trace->streams, [&](std::uint64_t bytes) {
      done += bytes;
      progress(0.2 * static_cast<double>(done) / static_cast<double>(total), "reading");
    });
    if (census.events == 0) return Error{nothing_to_read(*trace), folder};
    graph::BuildOptions build = build_options(trace->run, census);
    build.rename_buffers = options.rename_buffers;
    build.on_events = [&](std::uint64_t events) {
      progress(0.2 + 0.6 * static_cast<double>(events) / static_cast<double>(census.events), "building the graph");
    };
    graph::RecordedGraph recorded = graph::build_graph(trace->streams, census, build);
    progress(0.8, "finding the critical paths");
    std::vector<std::string> names = wiring::kernel_names(recorded.kernels, *trace, trace->warnings);
    auto impl = std::make_unique<Impl>();
    impl->report = make_report(*trace, recorded, names, options.burden);
    add_counter_runs(folder, trace->run, impl->report);
    impl->report.costs.thread_ns = thread_ns(trace->run, recorded, build.start_ticks);
    impl->report.costs.recorded_workers = recorded.workers;
    impl->messages = std::move(recorded.messages);
    impl->rank = trace->run.rank;
    impl->ranks = trace->run.ranks;
    impl->job = trace->run.job;
    impl->loss = loss_of(*trace, impl->report.dropped_events);
    impl->kernels = recorded.kernels;
    impl->definitions = std::move(trace->kernels);
    impl->counter_names = wiring::counter_names(trace->run);
    impl->counters = std::move(recorded.counters);
    impl->parameters = std::move(recorded.parameters);
    impl->samples = std::move(recorded.samples);
    impl->task_is_cut = std::move(recorded.task_is_cut);
    impl->speculative_groups = std::move(recorded.speculative_groups);
    impl->begin_ns = std::move(recorded.strands.begin_ns);
    impl->end_ns = std::move(recorded.strands.end_ns);
    impl->worker = std::move(recorded.strands.worker);
    progress(0.95, "arranging the graph");
    impl->graph = make_task_graph(std::move(recorded), std::move(names));
    progress(1, "done");
    return Run(std::move(impl));
  } catch (const std::bad_alloc&) {
    return Error{"is too large for the memory of this machine", folder};
  } catch (const std::exception& problem) {
    return Error{problem.what(), folder};
  }
}

Result<void> note_program_end(const std::string& folder, const ProgramEnd& end) {
  const std::string path = folder + "/run.json";
  Result<trace::RunFile> run = read_to_rewrite(path);
  if (!run) return run.error();
  if (end.pid != 0 && end.pid != run->pid) return {};
  run->exit_ns = end.monotonic_ns;
  run->exit_code = end.exit_code;
  run->exit_signal = end.signal;
  std::error_code none;
  return base::write_file_atomically(path, trace::to_json(*run, std::filesystem::file_size(path, none)));
}

Result<void> note_counter_runs(const std::string& folder, std::uint32_t runs) {
  const std::string path = folder + "/run.json";
  Result<trace::RunFile> run = read_to_rewrite(path);
  if (!run) return run.error();
  run->counter_runs = runs;
  std::error_code none;
  return base::write_file_atomically(path, trace::to_json(*run, std::filesystem::file_size(path, none)));
}

std::string counter_run_folder(const std::string& first, std::uint32_t number) {
  return number <= 1 ? first : first + "." + std::to_string(number);
}

std::string rank_run_folder(const std::string& folder) {
  const auto place = base::read_process_rank();
  return place ? base::rank_folder(folder, place->rank) : folder;
}

std::string rank_run_folder(const std::string& folder, std::uint32_t rank) { return base::rank_folder(folder, rank); }

bool is_run_folder(const std::string& path) { return trace::is_trace_folder(path); }

}  // namespace foretask::analysis
