// SPDX-License-Identifier: Apache-2.0
#include "simulate/cores/level_ranks.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/task_graph_order.hpp"
#include "simulate/cores/quad_heap.hpp"

namespace foretask::simulate {
namespace {

using analysis::NodeIndex;
using analysis::TaskGraph;

// Buckets of one pass: 2048 counters stay in the first-level cache, and three passes do for levels of seconds.
constexpr unsigned kDigitBits = 11;

// Sorts by the distance below the highest level, the digit of least weight first. Each pass keeps the order of equal
// digits, so that equal levels stay in order of index.
template <typename Key>
class LevelSort {
 public:
  explicit LevelSort(BottomLevels& levels)
      : levels_(levels),
        count_(levels.ns.size()),
        index_bits_(static_cast<unsigned>(std::bit_width(count_))),
        level_bits_(std::max(1U, static_cast<unsigned>(std::bit_width(levels.highest_ns)))),
        passes_((level_bits_ + kDigitBits - 1) / kDigitBits),
        digit_bits_((level_bits_ + passes_ - 1) / passes_) {}

  [[nodiscard]] bool fits() const noexcept { return index_bits_ + level_bits_ <= 8 * sizeof(Key); }

  LevelRanks run() {
    find_bucket_begins();
    base::PagedVector<Key> keys;  // of the last pass done; before the first, the levels stand for them
    base::PagedVector<Key> spare;
    for (unsigned pass = 0; pass + 1 < passes_; ++pass) {
      if (spare.size() == 0) spare = base::PagedVector<Key>(count_);
      for (std::size_t i = 0; i < count_; ++i) {
        const Key key = pass == 0 ? key_of(i) : keys[i];
        spare[place_of(key, pass)] = key;
      }
      // The levels have done their duty: where a key is as large, they become the second table.
      if constexpr (std::is_same_v<Key, std::uint64_t>)
        if (pass == 0) std::swap(keys, levels_.ns);
      std::swap(keys, spare);
    }
    spare = {};
    return last_pass(keys);
  }

 private:
  LevelRanks last_pass(const base::PagedVector<Key>& keys) {
    LevelRanks ranks{base::PagedVector<std::uint32_t>(count_), base::PagedVector<NodeIndex>(count_)};
    for (std::size_t i = 0; i < count_; ++i) {
      const Key key = passes_ == 1 ? key_of(i) : keys[i];
      const std::uint32_t rank = place_of(key, passes_ - 1);
      const auto node = static_cast<NodeIndex>(key & ((Key{1} << index_bits_) - 1));
      ranks.node_at[rank] = node;
      ranks.rank_of[node] = rank;
    }
    return ranks;
  }

  [[nodiscard]] Key key_of(std::size_t node) const noexcept {
    return static_cast<Key>(levels_.highest_ns - levels_.ns[node]) << index_bits_ | node;
  }
  std::uint32_t place_of(Key key, unsigned pass) noexcept {
    const auto digit = static_cast<std::size_t>(key >> (index_bits_ + pass * digit_bits_)) & (buckets() - 1);
    return next_[pass * buckets() + digit]++;
  }
  [[nodiscard]] std::size_t buckets() const noexcept { return std::size_t{1} << digit_bits_; }

  void find_bucket_begins() {
    next_.assign(passes_ * buckets(), 0);
    for (std::size_t i = 0; i < count_; ++i) {
      std::uint64_t distance = levels_.highest_ns - levels_.ns[i];
      for (unsigned pass = 0; pass < passes_; ++pass, distance >>= digit_bits_) {
        ++next_[pass * buckets() + (distance & (buckets() - 1))];
      }
    }
    for (unsigned pass = 0; pass < passes_; ++pass) {
      std::uint32_t begin = 0;
      for (std::size_t bucket = 0; bucket < buckets(); ++bucket) {
        begin += std::exchange(next_[pass * buckets() + bucket], begin);
      }
    }
  }

  BottomLevels& levels_;  // used up by run()
  std::size_t count_;
  unsigned index_bits_;
  unsigned level_bits_;
  unsigned passes_;
  unsigned digit_bits_;
  std::vector<std::uint32_t> next_;  // a pass's buckets: where the next key of each goes
};

}  // namespace

std::optional<BottomLevels> bottom_levels(const TaskGraph& graph, std::span<const std::int64_t> duration_ns,
                                          PendingCounts& pending) {
  const std::size_t count = graph.size();
  BottomLevels levels{.ns = base::PagedVector<std::uint64_t>(count)};
  std::uint64_t* const level = levels.ns.data();
  const auto set = [&](NodeIndex node, std::uint64_t longest) {
    level[node] = longest + static_cast<std::uint64_t>(duration_ns[node]);
    levels.highest_ns = std::max(levels.highest_ns, level[node]);
  };

  bool numbered_topologically = true;
  for (std::size_t i = count; i-- > 0;) {
    std::uint64_t longest = 0;
    const NodeIndex* const end = graph.successors.data() + graph.first_successor[i + 1];
    for (const NodeIndex* next = graph.successors.data() + graph.first_successor[i]; next != end; ++next) {
      pending.add(*next);
      numbered_topologically &= *next > i;
      longest = std::max(longest, level[*next]);
    }
    set(static_cast<NodeIndex>(i), longest);
  }
  if (numbered_topologically) return levels;

  const std::vector<NodeIndex> order = graph::topological_order(graph);
  if (order.size() != count) return std::nullopt;
  levels.highest_ns = 0;
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    std::uint64_t longest = 0;
    for (std::uint64_t e = graph.first_successor[*node]; e < graph.first_successor[*node + 1]; ++e) {
      longest = std::max(longest, level[graph.successors[e]]);
    }
    set(*node, longest);
  }
  return levels;
}

LevelRanks rank_by_level(BottomLevels levels) {
  LevelSort<std::uint64_t> narrow(levels);
  if (narrow.fits()) return narrow.run();
  return LevelSort<Wide>(levels).run();
}

}  // namespace foretask::simulate
