// SPDX-License-Identifier: Apache-2.0
// HOT: a worker's deque of ready nodes: the owner works at the bottom, thieves at the top. A ring that doubles.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "foretask/analysis/task_graph.hpp"

namespace foretask::simulate {

class NodeDeque {
 public:
  [[nodiscard]] bool empty() const noexcept { return top_ == bottom_; }
  [[nodiscard]] std::size_t size() const noexcept { return bottom_ - top_; }
  [[nodiscard]] analysis::NodeIndex top() const noexcept { return ring_[top_ & mask_]; }
  [[nodiscard]] analysis::NodeIndex bottom() const noexcept { return ring_[(bottom_ - 1) & mask_]; }

  void push_bottom(analysis::NodeIndex node) {
    if (size() == ring_.size()) grow();
    ring_[bottom_++ & mask_] = node;
  }
  analysis::NodeIndex pop_bottom() noexcept { return ring_[--bottom_ & mask_]; }
  analysis::NodeIndex pop_top() noexcept { return ring_[top_++ & mask_]; }

 private:
  void grow() {
    std::vector<analysis::NodeIndex> ring(ring_.empty() ? 16 : 2 * ring_.size());
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) ring[i] = ring_[(top_ + i) & mask_];
    ring_ = std::move(ring);
    mask_ = ring_.size() - 1;
    top_ = 0;
    bottom_ = count;
  }

  std::vector<analysis::NodeIndex> ring_;
  std::size_t mask_ = 0;
  std::size_t top_ = 0;
  std::size_t bottom_ = 0;
};

}  // namespace foretask::simulate
