// SPDX-License-Identifier: Apache-2.0
#include "analysis/run_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>

#include "analysis/kernel_details.hpp"
#include "analysis/summaries.hpp"
#include "base/module_offset.hpp"
#include "base/region_name.hpp"
#include "foretask/analysis/speculative_section.hpp"
#include "graph/team_shares.hpp"
#include "statistics/quantile.hpp"
#include "statistics/running_variance.hpp"

namespace foretask::wiring {
namespace {

analysis::SpeculativeTimes times_of(const std::vector<double>& values) {
  const statistics::RunningVariance taken(values);
  analysis::SpeculativeTimes times;
  times.mean = taken.mean();
  times.sd = taken.sd();
  times.p50 = statistics::quantile(values, 0.5);
  times.p90 = statistics::quantile(values, 0.9);
  return times;
}

void count_members(const graph::SpeculativeGroup& group, analysis::SpeculativeSection& section) {
  section.members += group.members.size();
  for (const graph::SpeculativeMember& member : group.members) {
    const bool won = member.end == graph::MemberEnd::kWon;
    section.never_ran += member.end == graph::MemberEnd::kNeverRan;
    section.cut_short += member.end == graph::MemberEnd::kCutShort;
    section.ended += member.end == graph::MemberEnd::kEnded || member.end == graph::MemberEnd::kAlsoFound;
    if (group.is_cancelled())
      (won ? section.winner_work_ns : section.wasted_work_ns) += member.work_ns + member.inner_ns;
  }
}

// `names`: of the graph's kernels. Most work first. O(members).
std::vector<analysis::SpeculativeSection> speculative_sections(const graph::RecordedGraph& graph,
                                                               const std::vector<std::string>& names) {
  struct Collected {
    analysis::SpeculativeSection section;
    std::vector<double> winner_ns;
    double left_sum_ns = 0, left = 0;
  };
  std::map<std::uint32_t, Collected> by_kernel;
  for (const graph::SpeculativeGroup& group : graph.speculative_groups) {
    Collected& one = by_kernel[group.kernel];
    ++one.section.groups;
    count_members(group, one.section);
    if (!group.is_cancelled()) continue;
    ++one.section.cancelled;
    one.winner_ns.push_back(static_cast<double>(group.cancel_ns - group.begin_ns));
    if (group.left_ns < 0) continue;
    one.left_sum_ns += static_cast<double>(group.left_ns - group.cancel_ns);
    ++one.left;
  }
  std::vector<analysis::SpeculativeSection> sections;
  for (auto& [kernel, one] : by_kernel) {
    one.section.name = names[kernel];
    one.section.kernel = kernel;
    one.section.winner_ns = times_of(one.winner_ns);
    if (one.left > 0) one.section.left_ns = one.left_sum_ns / one.left;
    sections.push_back(std::move(one.section));
  }
  std::ranges::stable_sort(sections, std::greater(),
                           [](const auto& one) { return one.winner_work_ns + one.wasted_work_ns; });
  return sections;
}

using analysis::CriticalPath;
using analysis::KernelSummary;
using analysis::NodeIndex;
using analysis::Report;

// Above this the sums and the clock disagree by more than rounding.
constexpr double kIdentityTolerance = 1e-6;
// Of the last finisher's path.
constexpr std::size_t kGaps = 10;
CriticalPath critical_path(const graph::Path& path, const graph::RecordedGraph& graph,
                           const std::vector<std::int64_t>& weight_ns) {
  CriticalPath result;
  std::vector<std::int64_t> by_kernel(graph.kernels.size());
  std::int64_t end_before = 0;
  for (const NodeIndex node : path.nodes) {
    const std::int64_t duration = weight_ns[node];
    result.work_ns += duration;
    result.delay_ns += std::max<std::int64_t>(0, graph.strands.begin_ns[node] - end_before);
    end_before = graph.strands.end_ns[node];
    by_kernel[graph.kernel_of_task[graph.strands.task[node]]] += duration;
  }
  for (std::uint32_t kernel = 0; kernel < by_kernel.size(); ++kernel)
    if (by_kernel[kernel] != 0) result.kernels.emplace_back(kernel, by_kernel[kernel]);
  std::ranges::sort(result.kernels, std::greater(), [](const auto& one) { return one.second; });
  return result;
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

bool asks_for_threads(const trace::RunFile& run) {
  return std::any_of(run.environment.begin(), run.environment.end(), [](const auto& variable) {
    const auto& [name, value] = variable;
    if (name == "OMP_NUM_THREADS") return std::strtoul(value.c_str(), nullptr, 10) > 1;
    return name == "OMP_DYNAMIC" && !value.empty() && std::strchr("tTyY1", value.front()) != nullptr;
  });
}

void warn_of_graph(const graph::RecordedGraph& graph, Report& report) {
  // Messages between processes are worth a recording without any task.
  const graph::MessageFacts& messages = graph.messages;
  const bool has_messages = !messages.sent.empty() || !messages.received.empty() || !messages.collectives.empty();
  if (graph.tasks == 0 && !report.has_regions && !has_messages)
    report.warnings.emplace_back(
        report.costs.rules.is_openmp
            ? "no explicit task was recorded, and no parallel region: the program has none, or reached none"
            : "no explicit task was recorded: the program has none, or reached none");
  report.own_tasks = graph.own_tasks;
  if (graph.own_tasks != 0)
    report.warnings.push_back(
        std::to_string(graph.own_tasks) +
        " tasks are of the program's own threads, and who submitted them was not seen. Those "
        "between two times when none ran are taken for independent, but for edges that were told; "
        "the program's own code beside them is left out (docs/own_runtime.md)");
  if (graph.unfinished_tasks != 0)
    report.warnings.push_back(std::to_string(graph.unfinished_tasks) +
                              (graph.unfinished_tasks == 1 ? " task" : " tasks") +
                              " had not ended when the recording ended");
  if (graph.anomalies != 0)
    report.warnings.push_back(std::to_string(graph.anomalies) +
                              (graph.anomalies == 1 ? " event contradicts an earlier one and was left out"
                                                    : " events contradict earlier ones and were left out"));
  if (report.identity_error > kIdentityTolerance)
    report.warnings.push_back(
        "work + delay + no_work differs from workers x elapsed by " + std::to_string(100 * report.identity_error) +
        " %" + (graph.oversubscribed_ns > 0 ? ": more threads ran tasks than the runtime's teams have" : ""));
}

// The figures are those of another machine than the run had.
void warn_of_core_wait(std::uint32_t cores, Report& report) {
  constexpr double kMuch = 0.02;
  const double wait_ns = static_cast<double>(report.core_wait_ns);
  const double share = wait_ns / std::max(1.0, wait_ns + static_cast<double>(report.work_ns));
  if (cores == 0 || report.workers <= cores || share < kMuch) return;
  report.warnings.push_back(std::to_string(report.workers) + " threads shared " + std::to_string(cores) +
                            (cores == 1 ? " core: " : " cores: ") + std::to_string(std::llround(100 * share)) +
                            " % of their time they waited for one. That is taken out: the figures are those of a core "
                            "for each thread");
}

std::vector<analysis::LockSummary> lock_summaries(const graph::RecordedGraph& graph,
                                                  const std::vector<std::string>& names) {
  std::vector<analysis::LockSummary> locks;
  for (const analysis::LockHold& hold : graph.locks) {
    if (hold.lock == locks.size()) locks.push_back({.name = names[hold.kernel]});
    analysis::LockSummary& lock = locks.back();
    lock.times += hold.times;
    lock.held_ns += hold.held_ns;
    lock.waited_ns += hold.waited_ns;
  }
  return locks;
}

// A kernel of tasks that a hook has called after code: the hook of oneTBB does that for parts of loops.
bool is_loop_part(const graph::KernelSite& kernel, const std::string& code) {
  return kernel.kind == graph::KernelSite::Kind::kNamed && base::parse_module_offset(code);
}

// The kernels that ran, most work first, and the paths in terms of them.
void add_kernels(const graph::RecordedGraph& graph, const CodeNames& names, const std::vector<KernelDetails>& details,
                 Report& report) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t kernel = 0; kernel < graph.kernels.size(); ++kernel)
    if (graph.kernel_totals[kernel].count != 0) order.push_back(kernel);
  std::ranges::stable_sort(order, std::greater(), [&](auto kernel) { return graph.kernel_totals[kernel].work_ns; });
  std::vector<std::uint32_t> place(graph.kernels.size());
  for (const std::uint32_t kernel : order) {
    const graph::KernelTotals& totals = graph.kernel_totals[kernel];
    KernelSummary summary;
    summary.name = names.kernels[kernel];
    summary.source_file = names.files[kernel];
    summary.functions = names.functions[kernel];
    summary.code = names.codes[kernel];
    summary.count = totals.count;
    summary.work_ns = totals.work_ns;
    summary.system_blocked_ns = std::llround(totals.system_blocked_ns);
    summary.mean_ns = totals.mean_ns();
    if (summary.mean_ns > 0) summary.cv = totals.spread.sd() / summary.mean_ns;
    merge_details(details[kernel], 0, summary);
    place[kernel] = static_cast<std::uint32_t>(report.kernels.size());
    report.kernels.push_back(std::move(summary));
  }
  for (CriticalPath* path : {&report.longest_work, &report.last_finisher, &report.largest_delay})
    for (auto& [kernel, ns] : path->kernels) kernel = place[kernel];
  for (analysis::PathGap& gap : report.last_finisher.gaps) {
    gap.kernel = place[gap.kernel];
    gap.others_kernel = place[gap.others_kernel];
  }
  for (const auto& [kernel, ns] : report.longest_work.kernels) report.kernels[kernel].critical_path_ns = ns;
  for (const std::uint32_t kernel : order)
    if (is_loop_part(graph.kernels[kernel], names.codes[kernel]))
      report.loop_parts_span_ns += report.kernels[place[kernel]].critical_path_ns;
}

void add_samples(const graph::RecordedGraph& graph, const trace::TraceFolder& trace, Report& report) {
  for (const auto& [id, samples] : graph.samples) {
    analysis::SampledKernel sampled;
    sampled.name = trace.kernel_name(id);
    sampled.parameters = trace.parameters_of(id);
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
  std::ranges::stable_sort(report.samples, std::greater(), &analysis::SampledKernel::total_ns);
}

analysis::RecordingOrigin origin_of(const trace::RunFile& run) {
  return {.started = run.started,
          .folder = run.folder,
          .host = run.machine.host,
          .processor_model = run.machine.processor_model,
          .fingerprint = run.machine.fingerprint,
          .cores = run.machine.cores,
          .processors = run.machine.processors,
          .processors_usable = run.machine.processors_usable,
          .quota = run.core_limits.quota,
          .memory_bytes = run.machine.memory_bytes,
          .build_id = build_of(run),
          .version = run.version,
          .runtime_version = run.runtime_version,
          .environment = run.environment};
}

// Of tasks that the program made: called as the kernel whose code that is.
void name_subtrees(Report& report) {
  for (analysis::GranularitySummary& one : report.granularity) {
    if (!one.name.ends_with(base::kSubtreesSuffix)) continue;
    const std::string_view code = std::string_view(one.name).substr(0, one.name.size() - base::kSubtreesSuffix.size());
    const auto kernel = std::ranges::find(report.kernels, code, &analysis::KernelSummary::code);
    if (kernel != report.kernels.end()) one.name = kernel->name;
  }
}

}  // namespace

SpanParts::SpanParts(const graph::Path& path, const std::vector<std::int64_t>& duration_ns,
                     const std::vector<std::int64_t>& weight_ns)
    : is_on_path_(duration_ns.size()) {
  for (const graph::NodeIndex node : path.nodes) {
    is_on_path_[node] = true;
    if (weight_ns[node] != duration_ns[node]) lighter_.emplace_back(node, weight_ns[node]);
  }
  std::sort(lighter_.begin(), lighter_.end());
}

std::int64_t SpanParts::of(graph::NodeIndex strand, std::int64_t duration_ns) const {
  if (!is_on_path_[strand]) return 0;
  const auto found = std::ranges::lower_bound(lighter_, strand, {}, [](const auto& one) { return one.first; });
  return found != lighter_.end() && found->first == strand ? found->second : duration_ns;
}

std::vector<std::string> damage_of(const trace::TraceFolder& trace) {
  std::vector<std::string> texts;
  for (std::size_t index = 0; index < trace.streams.size(); ++index) {
    std::string text = trace::damage_text(static_cast<std::uint32_t>(index), trace.streams[index].damage());
    if (!text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

std::string build_of(const trace::RunFile& run) {
  for (const trace::Module& module : run.modules)
    if (module.path == run.program) return module.build_id;
  return {};
}

bool has_ended(const trace::RunFile& run) {
  return run.state == "complete" || (run.exit_ns != 0 && run.exit_signal == 0);
}

void add_counters(const trace::RunFile& run, std::uint32_t number, Report& report) {
  for (const trace::Counter& counter : run.counters)
    report.counters.push_back({counter.name, counter.status, counter.reason, number});
}

Report make_report(const trace::TraceFolder& trace, const graph::RecordedGraph& graph, const CodeNames& code_names,
                   const std::optional<analysis::Burden>& burden, const analysis::SchedulingCosts& costs,
                   SpanParts& span_parts) {
  const std::vector<std::string>& names = code_names.kernels;
  Report report;
  static_cast<analysis::RunTotals&>(report) = graph;
  report.program = trace.run.program;
  report.runtime = trace.run.runtime;
  report.command = trace.run.command;
  report.parameters = trace.run.params;
  report.origin = origin_of(trace.run);
  report.has_ended = has_ended(trace.run);
  // What is damaged of it is not compared.
  if (trace.run.baseline.own.elapsed_ns != 0 && trace.run.baseline.recorded.elapsed_ns != 0)
    report.baseline = trace.run.baseline;
  report.warnings = trace.warnings;
  report.strands = graph.strands.size();
  report.edges = graph.edges.size();
  report.profile = graph.profile;

  report.costs = costs;
  report.burden_ns = burden ? std::llround(burden->ns + burden->instructions * 1e9 / trace.run.ticks_per_second)
                            : analysis::team_costs(costs.teams, std::max(2U, graph.workers)).steal_ns;

  const double workers_elapsed = static_cast<double>(graph.workers) * static_cast<double>(graph.elapsed_ns);
  const double sum =
      static_cast<double>(graph.work_ns) + static_cast<double>(graph.delay_ns) + static_cast<double>(graph.no_work_ns);
  report.identity_error = workers_elapsed > 0 ? std::abs(sum - workers_elapsed) / workers_elapsed : 0;

  const std::vector<std::int64_t>& duration_ns = graph.strands.duration_ns;
  const graph::TeamShares shares(graph.team, duration_ns);
  std::vector<std::int64_t> divided_ns = graph::indivisible_ns(graph.team, shares, duration_ns);
  if (divided_ns.empty() && !graph.subtrees.empty()) divided_ns = duration_ns;
  for (const analysis::NodeSubtree& subtree : graph.subtrees)
    divided_ns[subtree.node] = std::min(divided_ns[subtree.node], subtree.span_ns);
  const std::vector<std::int64_t>& weight_ns = divided_ns.empty() ? duration_ns : divided_ns;
  const graph::Path longest = graph::longest_work_path(graph, weight_ns);
  span_parts = {longest, duration_ns, weight_ns};
  report.span_ns = longest.length;
  report.longest_work = critical_path(longest, graph, weight_ns);
  report.burdened_span_ns = graph::burdened_span_ns(graph, report.burden_ns, weight_ns);
  const graph::Path last = graph::last_finisher_path(graph);
  report.last_finisher = critical_path(last, graph, duration_ns);
  report.last_finisher.gaps = graph::longest_gaps(graph, last, kGaps);
  report.largest_delay = critical_path(graph::largest_delay_path(graph), graph, duration_ns);
  report.loops = loop_summaries(graph, shares, names);
  report.locks = lock_summaries(graph, names);
  report.granularity = granularity_summaries(graph, trace);
  report.has_regions = !graph.team.phases.empty();
  report.assumed_even_ns = graph::assumed_even_ns(graph.team, shares);

  add_kernels(graph, code_names, kernel_details(graph, trace), report);
  name_subtrees(report);
  report.core_time = core_time(graph, trace.run, names, report);
  const trace::CodeSampling& sampling = trace.run.code_sampling;
  report.function_sampling = {sampling.period_ns, sampling.samples, sampling.lost, sampling.reason};
  add_samples(graph, trace, report);
  report.speculative = speculative_sections(graph, names);
  add_counters(trace.run, 0, report);
  report.counter_sampling = trace.run.counter_sampling;
  warn_of_damage(trace, report);
  warn_of_graph(graph, report);
  warn_of_core_wait(trace.run.machine.processors_usable, report);
  if (report.workers <= trace.run.machine.processors_usable) report.held_up_ns = graph.thread_wait_ns;
  if (report.costs.rules.is_openmp && report.has_regions && report.workers == 1 && asks_for_threads(trace.run))
    report.warnings.emplace_back(
        "the environment asks for several threads, and the runtime gave one (OMP_DYNAMIC, OMP_THREAD_LIMIT or the "
        "program): record with OMP_DYNAMIC=false");
  if (code_names.asks_in_parallel && report.has_regions && report.workers == 1)
    report.warnings.emplace_back(
        "the program asks whether it runs in parallel (omp_in_parallel), and on one thread, as here, it may do other "
        "work than on several: a recording on two threads shows what it does there");
  return report;
}

}  // namespace foretask::wiring
