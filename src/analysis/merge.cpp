// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/merge.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

#include "analysis/run_impl.hpp"
#include "foretask/hook.h"
#include "graph/ranks/rank_merge.hpp"

namespace foretask::analysis {
namespace {

constexpr std::size_t kMostListed = 10;

// "1, 2, 5"; of `count` the beginning, and how many more there are.
std::string list_of(const std::vector<std::uint32_t>& ranks, std::size_t count) {
  std::string text;
  const std::size_t shown = std::min(ranks.size(), kMostListed);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  if (count > shown) text += " and " + std::to_string(count - shown) + " more";
  return text;
}

// All calls of a rank that came to MPI_Finalize are in its recording, unless some were lost.
bool is_whole(const Run::Impl& run) {
  const auto& calls = run.recorded.messages.collectives;
  return run.report.dropped_events == 0 &&
         std::ranges::find(calls, FORETASK_COLLECTIVE_LAST, &graph::CollectivePart::kind) != calls.end();
}

std::string counted(std::uint64_t count, const char* one, const char* several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

void warn_of_parts(const std::vector<std::uint32_t>& cut_short, const graph::MergedRanks& merged,
                   std::vector<std::string>& warnings) {
  if (merged.unmatched_sends != 0)
    warnings.push_back(counted(merged.unmatched_sends, "message was", "messages were") +
                       " sent and never received. The graph leaves them out");
  if (cut_short.empty()) return;
  std::string text = (cut_short.size() == 1 ? "the recording of rank " : "the recordings of ranks ") +
                     list_of(cut_short, cut_short.size()) + (cut_short.size() == 1 ? " does" : " do") +
                     " not come to MPI_Finalize, or lost events. What is there is used";
  if (merged.partial_collectives != 0)
    text += ". " +
            counted(merged.partial_collectives, "collective call lacks some ranks and orders",
                    "collective calls lack some ranks and order") +
            " only the others";
  if (merged.unmatched_receives != 0)
    text += ". " + counted(merged.unmatched_receives, "message was", "messages were") +
            " received, but the sending is not recorded";
  warnings.push_back(std::move(text));
}

// The runs in the order of their ranks.
Result<std::vector<std::size_t>> order_by_rank(const std::vector<std::string>& folders, const std::vector<Run>& runs) {
  const trace::RunFile& first = Run::Impl::of(runs.front()).trace.run;
  std::map<std::uint32_t, std::size_t> found;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const trace::RunFile& run = Run::Impl::of(runs[i]).trace.run;
    if (run.ranks < 2) return Error{"is not one of several ranks: its program ran alone", folders[i]};
    if (run.ranks != first.ranks || run.rank >= run.ranks)
      return Error{"is rank " + std::to_string(run.rank) + " of " + std::to_string(run.ranks) + ", and " +
                       folders.front() + " one of " + std::to_string(first.ranks) + ": they are from different runs",
                   folders[i]};
    const auto [other, is_new] = found.try_emplace(run.rank, i);
    if (!is_new)
      return Error{"is rank " + std::to_string(run.rank) + ", and so is " + folders[other->second], folders[i]};
    if (!run.job.empty() && !first.job.empty() && run.job != first.job)
      return Error{"is from another run of the program than " + folders.front(), folders[i]};
  }
  // As many ranks as the recordings say there are need not fit into memory: those that are named are looked for.
  std::vector<std::uint32_t> missing;
  for (std::uint32_t rank = 0; rank < first.ranks && missing.size() < kMostListed; ++rank)
    if (!found.count(rank)) missing.push_back(rank);
  if (!missing.empty())
    return Error{"of " + std::to_string(first.ranks) + " ranks these are missing: " +
                 list_of(missing, first.ranks - found.size()) + ". Give the recordings of all ranks"};
  std::vector<std::size_t> order;
  for (const auto& [rank, index] : found) order.push_back(index);
  return order;
}

}  // namespace

Result<MergedRuns> merge_runs(const std::vector<std::string>& folders, const OpenOptions& options) {
  if (folders.empty()) return Error{"no recording is given"};
  try {
    std::vector<Run> runs;
    for (std::size_t i = 0; i < folders.size(); ++i) {
      OpenOptions own = options;
      if (options.progress)
        own.progress = [&](double done, const char* what) {
          options.progress((static_cast<double>(i) + done) / static_cast<double>(folders.size()), what);
        };
      Result<Run> run = Run::open(folders[i], own);
      if (!run) return run.error();
      runs.push_back(std::move(*run));
    }
    const auto order = order_by_rank(folders, runs);
    if (!order) return order.error();
    MergedRuns result;
    std::vector<graph::RankGraph> ranks;
    std::vector<std::uint32_t> cut_short;
    for (const std::size_t i : *order) {
      const Run::Impl& run = Run::Impl::of(runs[i]);
      ranks.push_back({&run.graph, &run.recorded.messages, &run.recorded.strands.begin_ns, is_whole(run)});
      if (!ranks.back().is_whole) cut_short.push_back(run.trace.run.rank);
      for (const std::string& warning : run.report.warnings) result.warnings.push_back(folders[i] + ": " + warning);
    }
    Result<graph::MergedRanks> merged = graph::merge_ranks(ranks);
    if (!merged) return merged.error();
    result.graph = std::move(merged->graph);
    result.ranks = static_cast<std::uint32_t>(ranks.size());
    result.messages = merged->messages;
    result.message_bytes = merged->message_bytes;
    result.collectives = merged->collectives;
    warn_of_parts(cut_short, *merged, result.warnings);
    return result;
  } catch (const std::bad_alloc&) {
    return Error{"the recordings are too large for the memory of this machine"};
  }
}

}  // namespace foretask::analysis
