// SPDX-License-Identifier: Apache-2.0
#include "analysis/summaries.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

namespace foretask::wiring {
namespace {

using analysis::GranularitySummary;
using analysis::kNoLoop;
using analysis::LoopPiece;
using analysis::LoopSchedule;
using analysis::LoopSummary;
using analysis::TeamLoop;
using analysis::TeamPhase;
using analysis::TeamWork;
using graph::GranularityFact;
using graph::TeamShare;

// Above this share of the waits, what the rest says is not said of the loop.
constexpr double kMuchUnknown = 0.05;

double sum_of(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// What the other values lack of that one, summed.
double missing_of(std::span<const double> values, std::size_t one) {
  return values[one] * static_cast<double>(values.size()) - sum_of(values);
}

std::size_t largest(std::span<const double> values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

double missing(std::span<const double> values) { return missing_of(values, largest(values)); }

// How many iterations each thread runs; where chunks are handed out, as many as if all cost the same.
std::vector<double> iterations_of_threads(const TeamWork& team, const TeamLoop& loop, std::uint32_t threads) {
  std::vector<double> iterations(threads);
  if (graph::hands_out(loop.schedule)) {
    const std::uint64_t chunk = std::max<std::uint64_t>(1, loop.chunk);
    const std::uint64_t chunks = loop.iterations / chunk;
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      const std::uint64_t own = chunks / threads + (thread < chunks % threads ? 1 : 0);
      iterations[thread] = static_cast<double>(own * chunk);
    }
    iterations[chunks % threads] += static_cast<double>(loop.iterations % chunk);
    return iterations;
  }
  for (const LoopPiece& piece : graph::pieces_of(team, loop))
    if (piece.thread < threads) iterations[piece.thread] += static_cast<double>(piece.iterations);
  return iterations;
}

// As far as it is known: neighbouring chunks are recorded as one. Of a guided loop it may be several.
double longest_chunk_ns(const TeamWork& team, const TeamLoop& loop, std::span<const double> thread_ns) {
  double longest = 0;
  for (std::uint32_t thread = 0; thread < thread_ns.size(); ++thread) {
    double weight = 0;
    double most = 0;
    for (const LoopPiece& piece : graph::pieces_of(team, loop, thread)) {
      const double chunk = static_cast<double>(std::max<std::uint64_t>(1, loop.chunk));
      const double part =
          loop.schedule == LoopSchedule::kGuided ? 1 : chunk / std::max(chunk, static_cast<double>(piece.iterations));
      weight += piece.weight;
      most = std::max(most, piece.weight * part);
    }
    if (weight > 0) longest = std::max(longest, thread_ns[thread] * most / weight);
  }
  return longest;
}

constexpr std::size_t kSteps = 50;

// The mean threshold of each of 50 equal stretches of time that has one, from the first fact to the last.
std::vector<GranularitySummary::Threshold> thresholds_of(const std::vector<const GranularityFact*>& facts) {
  struct Step {
    double sum_ns = 0;
    std::uint64_t count = 0;
  };
  const auto [first, last] = std::ranges::minmax_element(facts, {}, &GranularityFact::time_ns);
  const std::int64_t first_ns = (*first)->time_ns;
  const std::int64_t length_ns = (*last)->time_ns - first_ns + 1;
  std::array<Step, kSteps> steps{};
  for (const GranularityFact* const fact : facts) {
    const auto share = static_cast<double>(fact->time_ns - first_ns) / static_cast<double>(length_ns);
    Step& step = steps[std::min(static_cast<std::size_t>(share * kSteps), kSteps - 1)];
    step.sum_ns += fact->threshold_ns;
    ++step.count;
  }
  std::vector<GranularitySummary::Threshold> thresholds;
  for (std::size_t i = 0; i < kSteps; ++i)
    if (steps[i].count != 0)
      thresholds.push_back({first_ns + length_ns * static_cast<std::int64_t>(i) / static_cast<std::int64_t>(kSteps),
                            steps[i].sum_ns / static_cast<double>(steps[i].count)});
  return thresholds;
}

GranularitySummary summary_of(std::string name, const std::vector<const GranularityFact*>& facts) {
  GranularitySummary summary{.name = std::move(name)};
  double decisions = 0;
  double decisions_ns = 0;
  for (const GranularityFact* const fact : facts) {
    summary.tasks += fact->tasks;
    summary.calls += fact->calls;
    decisions += fact->decisions;
    decisions_ns += fact->decisions_ns;
  }
  if (decisions > 0) summary.decision_ns = decisions_ns / decisions;
  summary.thresholds = thresholds_of(facts);
  return summary;
}

using Shares = std::span<const TeamShare>;

// What the phase's other threads did less than its busiest, summed.
double missing_ns(const TeamPhase& phase, Shares shares) {
  std::map<std::uint32_t, double> by_thread;
  double sum = 0;
  double most = 0;
  for (const TeamShare& share : shares) {
    most = std::max(most, by_thread[share.thread] += static_cast<double>(share.ns + share.hand_out_ns));
    sum += static_cast<double>(share.ns + share.hand_out_ns);
  }
  return std::max(0.0, most * phase.threads - sum);
}

// Below this share of the work a region's own code is what any region has.
constexpr double kMuchRest = 0.01;

// Sums up loops by kernel.
class Summaries {
 public:
  Summaries(const graph::RecordedGraph& graph, const std::vector<std::string>& names) : graph_(graph), names_(names) {}

  // What a phase's threads did in the loop of that number, or in none.
  void add(const TeamPhase& phase, std::uint32_t number, Shares shares, double phase_missing_ns) {
    const bool is_rest = number == kNoLoop;
    if (is_rest && !(phase.divides && phase.rest_divides)) return;
    static const TeamLoop unseen{.is_schedule_known = false};
    const TeamLoop& loop = is_rest ? unseen : graph_.team.loops[number];
    const std::uint32_t kernel =
        is_rest ? graph_.kernel_of_task[graph_.strands.task[graph::rest_node(graph_.team, phase)]] : loop.kernel;
    auto& [summary, regions, mean_ns, most_ns, causes] = by_kernel_[kernel];
    const bool is_guessed = !loop.is_schedule_known && loop.schedule != analysis::LoopSchedule::kStatic;
    const std::string schedule = analysis::schedule_name(loop) + (is_guessed ? "?" : "");
    if (summary.name.empty()) {
      summary.name = names_[kernel];
      summary.schedule = schedule;
    } else if (summary.schedule != schedule) {
      summary.schedule = "several";
    }
    // A region's stretches between barriers are of one execution.
    if (!is_rest || regions.insert(phase.region).second) ++summary.instances;
    if (loop.is_cut) ++summary.cut;
    // Until a thread has done its part it is in the loop, also where it waits for its next chunk.
    std::vector<TeamShare> spent(shares.begin(), shares.end());
    std::int64_t sum = 0;
    std::int64_t most = 0;
    for (TeamShare& share : spent) {
      summary.work_ns += share.ns;
      summary.hand_out_ns += share.hand_out_ns;
      share.ns += share.hand_out_ns;
      sum += share.ns;
      most = std::max(most, share.ns);
    }
    summary.iterations += loop.iterations;
    summary.hand_outs += loop.hand_outs;
    summary.threads = std::max(summary.threads, phase.threads);
    const double threads = std::max(1U, phase.threads);
    mean_ns += static_cast<double>(sum) / threads;
    most_ns += static_cast<double>(most);
    // Not more than the phase's threads waited at its end.
    const double missing = threads * static_cast<double>(most) - static_cast<double>(sum);
    const double waited = std::clamp(missing, 0.0, phase_missing_ns);
    summary.waited_ns += static_cast<std::int64_t>(waited);
    causes.add(graph_.team, loop, spent, phase.threads, waited);
  }

  [[nodiscard]] std::vector<LoopSummary> result() && {
    std::vector<LoopSummary> summaries;
    for (auto& [kernel, sum] : by_kernel_) {
      auto& [summary, regions, mean_ns, most_ns, causes] = sum;
      const bool is_rest = graph_.kernels[kernel].kind == graph::KernelSite::Kind::kRegion;
      if (is_rest && static_cast<double>(summary.work_ns) < kMuchRest * static_cast<double>(graph_.work_ns)) continue;
      if (summary.threads > 1 && mean_ns > 0) summary.imbalance = most_ns / mean_ns;
      summary.waits = causes.result();
      summaries.push_back(std::move(summary));
    }
    std::ranges::stable_sort(summaries, std::greater(), &LoopSummary::work_ns);
    return summaries;
  }

 private:
  struct Sum {
    LoopSummary summary;
    std::set<std::uint32_t> regions;  // whose own code it is
    double mean_ns = 0;               // of the threads' times, and of the slowest thread, over all executions
    double most_ns = 0;
    WaitCauses causes;
  };

  const graph::RecordedGraph& graph_;
  const std::vector<std::string>& names_;
  std::map<std::uint32_t, Sum> by_kernel_;
};

}  // namespace

void WaitCauses::add(const TeamWork& team, const TeamLoop& loop, std::span<const TeamShare> shares,
                     std::uint32_t threads, double waited_ns) {
  if (threads < 2) return;
  waited_ns_ += waited_ns;
  if (!graph::has_all_pieces(team, loop)) {
    unknown_ns_ += waited_ns;
    return;
  }
  std::vector<double> ns(threads);
  for (const TeamShare& share : shares)
    if (share.thread < threads) ns[share.thread] += static_cast<double>(share.ns);
  Executions& executions = divisions_[{loop.iterations, threads, loop.schedule, loop.chunk}];
  std::vector<double>& half_ns = executions.ns[executions.count++ % 2];
  half_ns.resize(threads);
  for (std::uint32_t thread = 0; thread < threads; ++thread) half_ns[thread] += ns[thread];
  const double missing_ns = missing(ns);
  const double iteration_ns = sum_of(ns) / static_cast<double>(loop.iterations);
  executions.waited_ns += waited_ns;
  executions.missing_ns += missing_ns;
  executions.numbers_ns += std::min(missing_ns, iteration_ns * missing(iterations_of_threads(team, loop, threads)));
  // When the last chunk is taken, all others may have ended.
  if (graph::hands_out(loop.schedule))
    executions.chunks_ns += std::min(missing_ns, (threads - 1.0) * longest_chunk_ns(team, loop, ns));
}

// Which thread is the slowest one half of the executions says, and by how much the other half: noise alone makes no
// thread slower.
double WaitCauses::always_missing_ns(const Executions& executions) {
  const auto& [even, odd] = executions.ns;
  if (odd.empty()) return missing(even);
  const double always = missing_of(odd, largest(even)) + missing_of(even, largest(odd));
  return std::clamp(always, 0.0, executions.missing_ns);
}

std::optional<analysis::WaitCauses> WaitCauses::result() const {
  if (!(waited_ns_ >= 1) || unknown_ns_ > kMuchUnknown * waited_ns_) return std::nullopt;
  const double stands_for = waited_ns_ / (waited_ns_ - unknown_ns_);
  double numbers_ns = 0;
  double speeds_ns = 0;
  for (const auto& [division, executions] : divisions_) {
    if (!(executions.missing_ns > 0)) continue;
    const double explained = stands_for * executions.waited_ns / executions.missing_ns;
    const double always_ns = graph::hands_out(division.schedule) ? executions.chunks_ns : always_missing_ns(executions);
    numbers_ns += explained * std::min(executions.numbers_ns, always_ns);
    speeds_ns += explained * (executions.missing_ns - always_ns);
  }
  analysis::WaitCauses causes;
  causes.numbers_ns = static_cast<std::int64_t>(numbers_ns);
  causes.speeds_ns = static_cast<std::int64_t>(speeds_ns);
  causes.costs_ns =
      std::max<std::int64_t>(0, static_cast<std::int64_t>(waited_ns_) - causes.numbers_ns - causes.speeds_ns);
  return causes;
}

std::vector<LoopSummary> loop_summaries(const graph::RecordedGraph& graph, const graph::TeamShares& shares,
                                        const std::vector<std::string>& names) {
  Summaries summaries(graph, names);
  for (std::size_t number = 0; number < graph.team.phases.size(); ++number) {
    const TeamPhase& phase = graph.team.phases[number];
    const double missing = missing_ns(phase, shares.of_phase(number));
    graph::for_each_loop(shares.of_phase(number), [&](std::uint32_t loop, Shares of_loop) {
      if (loop == kNoLoop || !graph.team.loops[loop].is_taskloop) summaries.add(phase, loop, of_loop, missing);
    });
  }
  return std::move(summaries).result();
}

std::vector<GranularitySummary> granularity_summaries(const graph::RecordedGraph& graph,
                                                      const trace::TraceFolder& trace) {
  std::map<std::uint32_t, std::vector<const GranularityFact*>> by_kernel;
  for (const GranularityFact& fact : graph.granularity) by_kernel[fact.kernel].push_back(&fact);
  std::vector<GranularitySummary> summaries;
  for (const auto& [id, facts] : by_kernel) summaries.push_back(summary_of(trace.kernel_name(id), facts));
  return summaries;
}

}  // namespace foretask::wiring
