// SPDX-License-Identifier: Apache-2.0
// HOT: which name (stream, number) is which record, of tasks and of parallel regions. Indices are given in the order in
// which names are first heard of. For tasks that is the order of their creation: a parent's is lower than its
// children's.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/huge_pages.hpp"
#include "graph/reconstruction/trace_census.hpp"

namespace foretask::graph {

inline constexpr std::uint32_t kNone = 0xffffffffU;

template <typename Record>
class NameTable {
 public:
  // `count`: how many names each stream gives.
  NameTable(const TraceCensus& census, std::uint32_t StreamCensus::*count) {
    std::uint64_t base = 0;
    for (const StreamCensus& stream : census.streams) {
      bases_.push_back(base);
      counts_.push_back(stream.*count);
      base += stream.*count;
    }
    base::reserve_on_huge_pages(indices_, base);
    indices_.assign(base, kNone);
    base::reserve_on_huge_pages(records_, base);
  }

  [[nodiscard]] std::uint32_t index(std::uint32_t stream, std::uint32_t number) {
    std::uint32_t* index = nullptr;
    if (stream < counts_.size() && number < counts_[stream]) [[likely]] {
      index = &indices_[bases_[stream] + number];
    } else {
      // The census did not see its creation: it was lost.
      index = &strays_.try_emplace(static_cast<std::uint64_t>(stream) << 32 | number, kNone).first->second;
    }
    if (*index == kNone) {
      *index = static_cast<std::uint32_t>(records_.size());
      records_.emplace_back();
    }
    return *index;
  }

  // A record that has no name.
  [[nodiscard]] std::uint32_t add() {
    records_.emplace_back();
    return static_cast<std::uint32_t>(records_.size() - 1);
  }

  // Valid until the next index() or add().
  Record& operator[](std::uint32_t index) noexcept { return records_[index]; }
  const Record& operator[](std::uint32_t index) const noexcept { return records_[index]; }
  [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }

 private:
  std::vector<Record> records_;
  std::vector<std::uint32_t> indices_;
  std::vector<std::uint64_t> bases_;
  std::vector<std::uint32_t> counts_;
  std::unordered_map<std::uint64_t, std::uint32_t> strays_;
};

}  // namespace foretask::graph
