// SPDX-License-Identifier: Apache-2.0
#include "graph/team_shares.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <tuple>

#include "base/number_text.hpp"

namespace foretask::graph {

using analysis::kNoLoop;
using analysis::LoopPiece;
using analysis::TeamLoop;
using analysis::TeamPhase;
using analysis::TeamStrand;
using analysis::TeamWork;

namespace {

// The most of `length` iterations from `first` on that lies in one chunk: chunks begin at multiples of their size.
// Others' iterations may lie between: replays spread a piece over all of them.
double part_in_a_chunk(double first, double length, double chunk) {
  const double in_first = std::min(length, chunk - std::fmod(first, chunk));
  return std::max(in_first, std::min(chunk, length - in_first)) / length;
}

// What one thread must do alone, in ns: the chunk that took longest. A share whose pieces are not known lies as replays
// lay it: over all iterations, or over the thread's block of them where no share has pieces.
double longest_chunk_ns(const TeamWork& team, const TeamLoop& loop, std::uint32_t threads,
                        std::span<const TeamShare> shares) {
  double longest = 0;
  const double chunk = std::max(1.0, static_cast<double>(loop.chunk));
  const double iterations = iterations_of(team, loop, threads);
  const double block = iterations / std::max(1U, threads);
  const bool has_pieces = loop.end_piece != loop.first_piece;
  for (const TeamShare& share : shares) {
    double weight = 0;
    double most = 0;  // weight in a chunk
    for (const LoopPiece& piece : pieces_of(team, loop, share.thread)) {
      const auto length = static_cast<double>(piece.last - piece.first + 1);
      weight += piece.weight;
      most = std::max(most, piece.weight * part_in_a_chunk(static_cast<double>(piece.first), length, chunk));
    }
    const auto ns = static_cast<double>(share.ns);
    const double part = weight > 0   ? most / weight
                        : has_pieces ? part_in_a_chunk(0, iterations, chunk)
                                     : part_in_a_chunk(share.thread * block, block, chunk);
    longest = std::max(longest, ns * part);
  }
  return longest;
}

struct LongestPart {
  std::uint32_t loop = kNoLoop;
  std::int64_t ns = 0;
};

// Some thread can run a loop's longest chunk while another is in a single, or does what it does for itself.
LongestPart longest_part(const TeamWork& team, const TeamPhase& phase, std::span<const TeamShare> shares) {
  LongestPart longest;
  std::int64_t of_one_ns = 0;
  for_each_loop(shares, [&](std::uint32_t loop, std::span<const TeamShare> of_loop) {
    if (loop != kNoLoop) {
      const auto ns = static_cast<std::int64_t>(longest_chunk_ns(team, team.loops[loop], phase.threads, of_loop));
      if (ns > longest.ns) longest = {loop, ns};
      return;
    }
    for (const TeamShare& share : of_loop) {
      if (share.is_of_one) of_one_ns += share.ns;
      if (!share.is_of_one && !phase.rest_divides && share.ns > longest.ns) longest = {kNoLoop, share.ns};
    }
  });
  return of_one_ns > longest.ns ? LongestPart{kNoLoop, of_one_ns} : longest;
}

}  // namespace

double iterations_of(const TeamWork& team, const TeamLoop& loop, std::uint32_t threads) noexcept {
  if (loop.iterations != 0) return static_cast<double>(loop.iterations);
  double iterations = std::max(1U, threads);
  for (const LoopPiece& piece : pieces_of(team, loop))
    iterations = std::max(iterations, static_cast<double>(piece.last) + 1);
  return iterations;
}

bool has_all_pieces(const TeamWork& team, const TeamLoop& loop) noexcept {
  std::uint64_t seen = 0;
  for (const LoopPiece& piece : pieces_of(team, loop)) seen += piece.iterations;
  return seen != 0 && seen == loop.iterations && !loop.is_cut;
}

std::vector<TeamShare> shares_of_phase(const TeamWork& team, const TeamPhase& phase,
                                       std::span<const std::int64_t> duration_ns) {
  std::vector<TeamShare> shares;
  for (const TeamStrand& strand : strands_of(team, phase)) {
    const bool is_of_one = strand.is_of_one && strand.loop == kNoLoop;
    shares.push_back({strand.loop, strand.thread, is_of_one, std::max<std::int64_t>(0, duration_ns[strand.node]),
                      strand.hand_out_ns});
  }
  const auto key = [](const TeamShare& one) { return std::tuple(one.loop, one.is_of_one, one.thread); };
  std::sort(shares.begin(), shares.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (const TeamShare& one : shares) {
    if (kept != 0 && key(shares[kept - 1]) == key(one)) {
      shares[kept - 1].ns += one.ns;
      shares[kept - 1].hand_out_ns += one.hand_out_ns;
    } else {
      shares[kept++] = one;
    }
  }
  shares.resize(kept);
  return shares;
}

TeamShares::TeamShares(const TeamWork& team, std::span<const std::int64_t> duration_ns) {
  first_.reserve(team.phases.size() + 1);
  first_.push_back(0);
  for (const TeamPhase& phase : team.phases) {
    const std::vector<TeamShare> shares = shares_of_phase(team, phase, duration_ns);
    shares_.insert(shares_.end(), shares.begin(), shares.end());
    first_.push_back(shares_.size());
  }
}

std::uint32_t rest_node(const TeamWork& team, const TeamPhase& phase) {
  for (const TeamStrand& strand : strands_of(team, phase))
    if (strand.loop == kNoLoop) return strand.node;
  return team.strands[phase.first_strand].node;
}

std::span<const LoopPiece> pieces_of(const TeamWork& team, const TeamLoop& loop, std::uint32_t thread) {
  const std::span<const LoopPiece> all = pieces_of(team, loop);
  const auto first = std::ranges::lower_bound(all, thread, {}, &LoopPiece::thread);
  return {first, std::ranges::upper_bound(first, all.end(), thread, {}, &LoopPiece::thread)};
}

std::uint32_t widest_team(const TeamWork& team) {
  std::uint32_t widest = 0;
  for (const TeamPhase& phase : team.phases) widest = std::max(widest, phase.threads);
  return widest;
}

std::vector<std::int64_t> indivisible_ns(const TeamWork& team, const TeamShares& shares,
                                         std::span<const std::int64_t> duration_ns) {
  std::vector<std::int64_t> result;
  const std::uint32_t widest = widest_team(team);
  for (std::size_t number = 0; number < team.phases.size(); ++number) {
    const TeamPhase& phase = team.phases[number];
    if (!is_divided(phase, widest)) continue;
    if (result.empty()) result.assign(duration_ns.begin(), duration_ns.end());
    const std::span<const TeamStrand> strands = strands_of(team, phase);
    for (const TeamStrand& strand : strands) result[strand.node] = 0;
    const auto [loop, ns] = longest_part(team, phase, shares.of_phase(number));
    const auto part = std::ranges::find(strands, loop, &TeamStrand::loop);
    if (part != strands.end()) result[part->node] = ns;
  }
  return result;
}

std::int64_t assumed_even_ns(const TeamWork& team, const TeamShares& shares) {
  // Of several threads a seen loop's shares tell how its iterations differ, of one thread its pieces.
  const auto is_shown = [&](const TeamPhase& phase, std::uint32_t loop) {
    if (loop == kNoLoop) return !phase.rest_divides;
    return phase.threads > 1 || team.loops[loop].end_piece > team.loops[loop].first_piece + 1;
  };
  const std::uint32_t widest = widest_team(team);
  std::int64_t sum = 0;
  for (std::size_t number = 0; number < team.phases.size(); ++number) {
    const TeamPhase& phase = team.phases[number];
    if (!is_divided(phase, widest)) continue;
    for (const TeamShare& share : shares.of_phase(number))
      if (!share.is_of_one && !is_shown(phase, share.loop)) sum += share.ns;
  }
  return sum;
}

}  // namespace foretask::graph

namespace foretask::analysis {

std::string schedule_name(LoopSchedule schedule, std::uint64_t chunk) {
  const char* const kind = schedule == LoopSchedule::kDynamic  ? "dynamic"
                           : schedule == LoopSchedule::kGuided ? "guided"
                                                               : "static";
  // A guided loop's chunk is 1 where nothing is said.
  const bool is_default =
      chunk == 0 || schedule == LoopSchedule::kStatic || (schedule == LoopSchedule::kGuided && chunk == 1);
  return is_default ? kind : kind + ("," + std::to_string(chunk));
}

std::optional<NamedSchedule> schedule_from_name(std::string_view name) {
  const std::size_t comma = name.find(',');
  const std::string_view kind = name.substr(0, comma);
  NamedSchedule named;
  if (comma != std::string_view::npos) {
    named.chunk = base::parse_number<std::uint64_t>(name.substr(comma + 1)).value_or(0);
    if (named.chunk == 0) return std::nullopt;
  }
  if (kind == "static") {
    named.schedule = named.chunk == 0 ? LoopSchedule::kStatic : LoopSchedule::kStaticChunked;
  } else if (kind == "dynamic") {
    named.schedule = LoopSchedule::kDynamic;
  } else if (kind == "guided") {
    named.schedule = LoopSchedule::kGuided;
  } else {
    return std::nullopt;
  }
  return named;
}

std::string schedule_name(const TeamLoop& loop) {
  if (loop.schedule == LoopSchedule::kStatic && !loop.is_schedule_known) return "unknown";
  return schedule_name(loop.schedule, loop.chunk);
}

}  // namespace foretask::analysis
