// SPDX-License-Identifier: Apache-2.0
#include "analysis/wait_causes.hpp"

#include <algorithm>
#include <numeric>

namespace foretask::wiring {
namespace {

using analysis::LoopPiece;
using analysis::LoopSchedule;
using analysis::TeamLoop;
using analysis::TeamWork;
using graph::TeamShare;

// Above this share of the waits, what the rest says is not said of the loop.
constexpr double kMuchUnknown = 0.05;

// What other threads' values lack of the largest, summed.
double missing(std::span<const double> values) {
  const double most = *std::max_element(values.begin(), values.end());
  return most * static_cast<double>(values.size()) - std::accumulate(values.begin(), values.end(), 0.0);
}

// To the thread that is free first.
bool hands_out(const TeamLoop& loop) {
  return loop.schedule == LoopSchedule::kDynamic || loop.schedule == LoopSchedule::kGuided;
}

// The most iterations that threads can be short of the fullest one, summed, if all iterations cost the same.
double missing_iterations(const TeamWork& team, const TeamLoop& loop, std::uint32_t threads) {
  if (hands_out(loop)) return (threads - 1.0) * static_cast<double>(std::max<std::uint64_t>(1, loop.chunk));
  std::vector<double> of_thread(threads);
  for (std::uint64_t at = loop.first_piece; at < loop.end_piece; ++at) {
    const LoopPiece& piece = team.pieces[at];
    if (piece.thread < threads) of_thread[piece.thread] += static_cast<double>(piece.iterations);
  }
  return missing(of_thread);
}

}  // namespace

void WaitCauses::add(const TeamWork& team, const TeamLoop& loop, std::span<const TeamShare> shares,
                     std::uint32_t threads, double waited_ns) {
  if (threads < 2) return;
  waited_ns_ += waited_ns;
  if (loop.iterations == 0 || loop.first_piece == loop.end_piece) {
    unknown_ns_ += waited_ns;
    return;
  }
  Alike& alike = alike_[{loop.iterations, threads}];
  alike.ns.resize(threads);
  std::vector<double> ns(threads);
  for (const TeamShare& share : shares)
    if (share.thread < threads) ns[share.thread] += static_cast<double>(share.ns);
  for (std::uint32_t thread = 0; thread < threads; ++thread) alike.ns[thread] += ns[thread];
  alike.missing_ns += missing(ns);
  alike.waited_ns += waited_ns;
  const double iteration_ns = std::accumulate(ns.begin(), ns.end(), 0.0) / static_cast<double>(loop.iterations);
  alike.numbers_ns += std::min(missing(ns), iteration_ns * missing_iterations(team, loop, threads));
  alike.hands_out = alike.hands_out || hands_out(loop);
  // When the last chunk is taken, all others may have ended.
  if (hands_out(loop)) alike.chunk_ns += std::min(missing(ns), (threads - 1.0) * longest_chunk_ns(team, loop, shares));
}

std::optional<analysis::WaitCauses> WaitCauses::result() const {
  double numbers_ns = 0;
  double speeds_ns = 0;
  for (const auto& [key, alike] : alike_) {
    if (!(alike.missing_ns > 0)) continue;
    const double explained = alike.waited_ns / alike.missing_ns;
    // A static loop's thread has the same iterations in each execution: what it is always slower by are their costs.
    const double always_ns = alike.hands_out ? alike.chunk_ns : missing(alike.ns);
    numbers_ns += explained * std::min(alike.numbers_ns, always_ns);
    speeds_ns += explained * (alike.missing_ns - always_ns);
  }
  if (!(waited_ns_ >= 1) || unknown_ns_ > kMuchUnknown * waited_ns_) return std::nullopt;
  analysis::WaitCauses causes;
  causes.numbers_ns = static_cast<std::int64_t>(numbers_ns);
  causes.speeds_ns = static_cast<std::int64_t>(speeds_ns);
  causes.costs_ns =
      std::max<std::int64_t>(0, static_cast<std::int64_t>(waited_ns_) - causes.numbers_ns - causes.speeds_ns);
  return causes;
}

}  // namespace foretask::wiring
