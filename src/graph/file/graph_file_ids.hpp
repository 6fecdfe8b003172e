// SPDX-License-Identifier: Apache-2.0
// Finds a task's index by the id that the file gave it. Refers to the ids, which the caller keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "foretask/analysis/task_graph.hpp"

namespace foretask::graph {

class IdIndex {
 public:
  // `ids` empty: each of `count` tasks has its index as its id.
  IdIndex(std::span<const std::int64_t> ids, std::size_t count);

  // The first pair of indices, the earlier one first, that have the same id.
  [[nodiscard]] const std::optional<std::pair<analysis::NodeIndex, analysis::NodeIndex>>& duplicate() const noexcept {
    return duplicate_;
  }
  // kNoNode where no task has the id.
  [[nodiscard]] analysis::NodeIndex find(std::int64_t id) const noexcept;

 private:
  [[nodiscard]] std::size_t slot_of(std::int64_t id) const noexcept;

  std::span<const std::int64_t> ids_;
  std::size_t count_;
  std::vector<analysis::NodeIndex> slots_;  // open addressing, at most half full
  unsigned shift_ = 0;
  std::optional<std::pair<analysis::NodeIndex, analysis::NodeIndex>> duplicate_;
};

}  // namespace foretask::graph
