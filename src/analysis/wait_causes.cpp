// SPDX-License-Identifier: Apache-2.0
#include "analysis/wait_causes.hpp"

#include <algorithm>
#include <numeric>

#include "graph/reconstruction/loop_pieces.hpp"

namespace foretask::wiring {
namespace {

using analysis::LoopPiece;
using analysis::LoopSchedule;
using analysis::TeamLoop;
using analysis::TeamWork;
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
  for (std::uint64_t at = loop.first_piece; at < loop.end_piece; ++at) {
    const LoopPiece& piece = team.pieces[at];
    if (piece.thread < threads) iterations[piece.thread] += static_cast<double>(piece.iterations);
  }
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

}  // namespace foretask::wiring
