// SPDX-License-Identifier: Apache-2.0
#include "graph/file/graph_file_ids.hpp"

#include <bit>

namespace foretask::graph {

using analysis::kNoNode;
using analysis::NodeIndex;

IdIndex::IdIndex(std::span<const std::int64_t> ids, std::size_t count) : ids_(ids), count_(count) {
  if (ids_.empty()) return;
  const std::size_t size = std::bit_ceil(2 * ids_.size() + 2);
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(size));
  slots_.assign(size, kNoNode);
  for (NodeIndex i = 0; i < ids_.size(); ++i) {
    const std::size_t slot = slot_of(ids_[i]);
    if (slots_[slot] != kNoNode) {
      duplicate_.emplace(slots_[slot], i);
      return;
    }
    slots_[slot] = i;
  }
}

// Where the id is, or the free slot where it would be.
std::size_t IdIndex::slot_of(std::int64_t id) const noexcept {
  auto mixed = static_cast<std::uint64_t>(id);
  mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15ULL;
  mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9ULL;
  std::size_t slot = mixed >> shift_;
  while (slots_[slot] != kNoNode && ids_[slots_[slot]] != id) slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

NodeIndex IdIndex::find(std::int64_t id) const noexcept {
  if (!ids_.empty()) return slots_[slot_of(id)];
  if (id < 0 || static_cast<std::uint64_t>(id) >= count_) return kNoNode;
  return static_cast<NodeIndex>(id);
}

}  // namespace foretask::graph
