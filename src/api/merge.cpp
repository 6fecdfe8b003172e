// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/merge.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "api/run_impl.hpp"
#include "graph/rank_merge.hpp"

namespace foretask::analysis {
namespace {

std::string list_of(const std::vector<std::uint32_t>& ranks) {
  std::string text;
  for (const std::uint32_t rank : ranks) text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return text;
}

// The runs in the order of their ranks.
Result<std::vector<std::size_t>> order_by_rank(const std::vector<std::string>& folders, const std::vector<Run>& runs) {
  const Run::Impl& first = Run::Impl::of(runs.front());
  std::vector<std::optional<std::size_t>> found(first.ranks);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run::Impl& run = Run::Impl::of(runs[i]);
    if (run.ranks < 2) return Error{"is no rank of several: its program ran alone", folders[i]};
    if (run.ranks != first.ranks || run.rank >= run.ranks)
      return Error{"is rank " + std::to_string(run.rank) + " of " + std::to_string(run.ranks) + ", and " +
                       folders.front() + " one of " + std::to_string(first.ranks) + ": they are of different runs",
                   folders[i]};
    if (found[run.rank])
      return Error{"is rank " + std::to_string(run.rank) + ", and so is " + folders[*found[run.rank]], folders[i]};
    found[run.rank] = i;
  }
  std::vector<std::size_t> order;
  std::vector<std::uint32_t> missing;
  for (std::uint32_t rank = 0; rank < found.size(); ++rank) {
    if (found[rank])
      order.push_back(*found[rank]);
    else
      missing.push_back(rank);
  }
  if (!missing.empty())
    return Error{"of " + std::to_string(first.ranks) + " ranks these are missing: " + list_of(missing) +
                 "; each has a recording of its own, which has to be given"};
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
    for (const std::size_t i : *order) {
      const Run::Impl& run = Run::Impl::of(runs[i]);
      ranks.push_back({&run.graph, &run.messages, &run.begin_ns});
      for (const std::string& warning : run.report.warnings) result.warnings.push_back(folders[i] + ": " + warning);
    }
    Result<graph::MergedRanks> merged = graph::merge_ranks(ranks);
    if (!merged) return merged.error();
    result.graph = std::move(merged->graph);
    result.ranks = static_cast<std::uint32_t>(ranks.size());
    result.messages = merged->messages;
    result.message_bytes = merged->message_bytes;
    result.collectives = merged->collectives;
    if (merged->unmatched_sends != 0)
      result.warnings.push_back(std::to_string(merged->unmatched_sends) +
                                " messages were sent and never received: they order nothing");
    return result;
  } catch (const std::bad_alloc&) {
    return Error{"the recordings are too large for the memory of this machine"};
  }
}

}  // namespace foretask::analysis
