// SPDX-License-Identifier: Apache-2.0
// The order that a dataflow runtime puts sibling tasks in, from the ranges of memory that each reads and writes, in
// order of creation: a read comes after the last write of each byte, a write after the reads since then or, where there
// were none, after that write. With buffers renamed a write goes to memory of its own: a read still comes after the
// last write, and nothing else is ordered.
//
// A segment is a stretch of bytes with one history; segments are split at the ends of ranges, and joined again by the
// next write over them. O(log n) for each segment that a range touches.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace foretask::graph {

// What a task does with the bytes from `begin` up to `end`.
struct RangeAccess {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool reads = false;
  bool writes = false;
};

class RangeTable {
 public:
  explicit RangeTable(bool rename_buffers = false) : rename_buffers_(rename_buffers) {}

  // `task`, the newest child of `parent`, with all its ranges, which may overlap. The tasks that it comes after, each
  // once, in ascending order; valid until the next call.
  const std::vector<std::uint32_t>& add(std::uint32_t parent, std::uint32_t task,
                                        const std::vector<RangeAccess>& accesses);

  // `parent` will have no more children.
  void forget(std::uint32_t parent) {
    if (!siblings_.empty()) siblings_.erase(parent);
  }

  // For tests: how many segments there are for the children of `parent`.
  [[nodiscard]] std::size_t segments(std::uint32_t parent) const;

 private:
  static constexpr std::uint32_t kNobody = 0xffffffffU;

  struct Segment {
    std::uint64_t end = 0;
    std::uint32_t writer = kNobody;      // the last one
    std::vector<std::uint32_t> readers;  // since then
  };
  using Segments = std::map<std::uint64_t, Segment>;  // by their first bytes; they do not overlap

  void merge_overlaps(const std::vector<RangeAccess>& accesses);
  static void split_at(Segments& segments, std::uint64_t place);
  void read(Segments& segments, std::uint32_t task, const RangeAccess& access);
  void write(Segments& segments, std::uint32_t task, const RangeAccess& access);

  bool rename_buffers_;
  std::unordered_map<std::uint32_t, Segments> siblings_;
  std::vector<std::uint32_t> before_;  // of the task at hand
  std::vector<RangeAccess> merged_;
};

}  // namespace foretask::graph
