// SPDX-License-Identifier: Apache-2.0
// The order that the records need: rows, clipped places, nodes by begin and by end.
#include <algorithm>
#include <set>
#include <utility>

#include "report/timeline/paraver.hpp"

namespace foretask::report {

using analysis::kNoNode;
using analysis::StrandPlace;

ParaverTrace::ParaverTrace(const Timeline& timeline)
    : timeline_(timeline),
      graph_(timeline.graph),
      place_(graph_.size()),
      row_of_(graph_.size()),
      next_(graph_.size(), kNoNode),
      loops_(timeline),
      pieces_(0) {
  for (NodeIndex node = 0; node < graph_.size(); ++node) {
    place_[node] = timeline.places(node);
    if (graph_.occupies_worker(node)) by_begin_.push_back(node);
  }
  find_ranks();
  find_rows();
  put_in_order();
  pieces_ = OpenPieces(rows_.size());
}

void ParaverTrace::find_ranks() {
  std::set<std::uint32_t> ranks(timeline_.node_of_worker.begin(), timeline_.node_of_worker.end());
  if (ranks.empty() && !graph_.node.empty()) {
    for (const NodeIndex node : by_begin_) ranks.insert(graph_.node[node]);
  }
  if (ranks.empty()) ranks.insert(0);
  ranks_.assign(ranks.begin(), ranks.end());
}

std::uint32_t ParaverTrace::rank_of(NodeIndex node) const {
  if (ranks_.size() == 1) return 0;
  const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), graph_.node[node]);
  return static_cast<std::uint32_t>(found - ranks_.begin());
}

// One rank shows all its workers, those without work included, as does a platform; of several ranks whose workers are
// not known each shows those that worked for it.
void ParaverTrace::find_rows() {
  if (ranks_.size() == 1 || !timeline_.node_of_worker.empty()) {
    find_rows_by_worker();
  } else {
    find_rows_by_work();
  }
}

void ParaverTrace::add_row(std::uint32_t rank, std::uint32_t worker) {
  const bool is_first = rows_.empty() || rows_.back().rank != rank;
  const auto number = static_cast<std::uint32_t>(rows_.size()) + 1;
  rows_.push_back({.rank = rank,
                   .thread = is_first ? 1 : rows_.back().thread + 1,
                   .cpu = timeline_.is_one_pool ? worker + 1 : number,
                   .worker = worker});
}

void ParaverTrace::find_rows_by_worker() {
  const std::vector<std::uint32_t>& node_of = timeline_.node_of_worker;
  auto workers = std::max<std::size_t>({timeline_.workers, node_of.size(), 1});
  for (const NodeIndex node : by_begin_) {
    row_of_[node] = place_[node].worker;
    workers = std::max<std::size_t>(workers, row_of_[node] + std::size_t{1});
  }
  std::uint32_t rank = 0;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    while (worker < node_of.size() && ranks_[rank] < node_of[worker]) ++rank;
    add_row(rank, worker);
  }
}

void ParaverTrace::find_rows_by_work() {
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // rank, worker
  std::set<Pair> seen;
  for (const NodeIndex node : by_begin_) seen.emplace(rank_of(node), place_[node].worker);
  const std::vector<Pair> pairs(seen.begin(), seen.end());
  for (const auto& [rank, worker] : pairs) add_row(rank, worker);
  for (const NodeIndex node : by_begin_) {
    const auto found = std::lower_bound(pairs.begin(), pairs.end(), Pair{rank_of(node), place_[node].worker});
    row_of_[node] = static_cast<std::uint32_t>(found - pairs.begin());
  }
}

// A worker does one thing at a time: where a damaged recording says otherwise, the later strand is clipped.
void ParaverTrace::put_in_order() {
  const auto earlier = [this](NodeIndex a, NodeIndex b) {
    const StrandPlace& left = place_[a];
    const StrandPlace& right = place_[b];
    return left.begin_ns != right.begin_ns ? left.begin_ns < right.begin_ns : left.end_ns < right.end_ns;
  };
  std::stable_sort(by_begin_.begin(), by_begin_.end(), earlier);
  std::vector<std::int64_t> free_from(rows_.size(), 0);
  std::vector<NodeIndex> last(rows_.size(), kNoNode);
  first_ = last;
  for (const NodeIndex node : by_begin_) {
    StrandPlace& place = place_[node];
    const std::uint32_t row = row_of_[node];
    place.begin_ns = std::max(place.begin_ns, free_from[row]);
    place.end_ns = std::max(place.end_ns, place.begin_ns);
    free_from[row] = place.end_ns;
    total_ns_ = std::max(total_ns_, place.end_ns);
    if (place.begin_ns == place.end_ns) continue;
    by_end_.push_back(node);
    (last[row] == kNoNode ? first_[row] : next_[last[row]]) = node;
    last[row] = node;
  }
  if (!std::is_sorted(by_begin_.begin(), by_begin_.end(), earlier))
    std::stable_sort(by_begin_.begin(), by_begin_.end(), earlier);
  std::stable_sort(by_end_.begin(), by_end_.end(),
                   [this](NodeIndex a, NodeIndex b) { return place_[a].end_ns < place_[b].end_ns; });
}

}  // namespace foretask::report
