// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/range_table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace foretask::graph {
namespace {

// Where the number of accesses that read, or write, changes.
struct Change {
  std::uint64_t place;
  int reads;
  int writes;
};

}  // namespace

// What a task says of a byte more than once is what it does with it in all: the accesses as stretches that do not
// overlap, in order of address.
void RangeTable::merge_overlaps(const std::vector<RangeAccess>& accesses) {
  merged_.clear();
  if (accesses.size() == 1 && accesses.front().begin < accesses.front().end) {
    merged_.push_back(accesses.front());
    return;
  }
  std::vector<Change> changes;
  for (const RangeAccess& access : accesses) {
    if (access.begin >= access.end) continue;
    changes.push_back({access.begin, access.reads ? 1 : 0, access.writes ? 1 : 0});
    changes.push_back({access.end, access.reads ? -1 : 0, access.writes ? -1 : 0});
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.place < b.place; });
  int reads = 0;
  int writes = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    reads += changes[i].reads;
    writes += changes[i].writes;
    if (i + 1 == changes.size() || changes[i + 1].place == changes[i].place || (reads == 0 && writes == 0)) continue;
    const RangeAccess next{changes[i].place, changes[i + 1].place, reads != 0, writes != 0};
    if (!merged_.empty() && merged_.back().end == next.begin && merged_.back().reads == next.reads &&
        merged_.back().writes == next.writes) {
      merged_.back().end = next.end;
    } else {
      merged_.push_back(next);
    }
  }
}

// A segment over `place` becomes two.
void RangeTable::split_at(Segments& segments, std::uint64_t place) {
  auto at = segments.lower_bound(place);
  if (at == segments.begin() || (at != segments.end() && at->first == place)) return;
  --at;
  if (at->second.end <= place) return;
  Segment upper = at->second;
  at->second.end = place;
  segments.emplace_hint(std::next(at), place, std::move(upper));
}

void RangeTable::read(Segments& segments, std::uint32_t task, const RangeAccess& access) {
  split_at(segments, access.begin);
  split_at(segments, access.end);
  std::uint64_t place = access.begin;
  for (auto at = segments.lower_bound(access.begin); place < access.end; ++at) {
    if (at == segments.end() || at->first > place) {
      // Bytes that nobody has touched. Renamed, a later write of them waits for no reader.
      const std::uint64_t end = at == segments.end() ? access.end : std::min(access.end, at->first);
      if (!rename_buffers_) segments.emplace_hint(at, place, Segment{end, kNobody, {task}});
      place = end;
      if (at == segments.end() || place == access.end) break;
    }
    if (at->second.writer != kNobody) before_.push_back(at->second.writer);
    if (!rename_buffers_) at->second.readers.push_back(task);
    place = at->second.end;
  }
}

void RangeTable::write(Segments& segments, std::uint32_t task, const RangeAccess& access) {
  split_at(segments, access.begin);
  split_at(segments, access.end);
  const auto from = segments.lower_bound(access.begin);
  const auto to = segments.lower_bound(access.end);
  for (auto at = from; at != to; ++at) {
    const Segment& segment = at->second;
    if (rename_buffers_ && !access.reads) continue;
    if (!segment.readers.empty()) {
      before_.insert(before_.end(), segment.readers.begin(), segment.readers.end());
    } else if (segment.writer != kNobody) {
      before_.push_back(segment.writer);
    }
  }
  segments.emplace_hint(segments.erase(from, to), access.begin, Segment{access.end, task, {}});
}

const std::vector<std::uint32_t>& RangeTable::add(std::uint32_t parent, std::uint32_t task,
                                                  const std::vector<RangeAccess>& accesses) {
  before_.clear();
  merge_overlaps(accesses);
  if (merged_.empty()) return before_;
  Segments& segments = siblings_[parent];
  for (const RangeAccess& access : merged_) {
    if (access.writes) {
      write(segments, task, access);
    } else {
      read(segments, task, access);
    }
  }
  std::sort(before_.begin(), before_.end());
  before_.erase(std::unique(before_.begin(), before_.end()), before_.end());
  return before_;
}

std::size_t RangeTable::segments(std::uint32_t parent) const {
  const auto found = siblings_.find(parent);
  return found == siblings_.end() ? 0 : found->second.size();
}

}  // namespace foretask::graph
