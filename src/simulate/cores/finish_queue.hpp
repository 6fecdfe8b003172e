// SPDX-License-Identifier: Apache-2.0
// HOT: when each busy worker will be done. A min-heap with four children a node over (time, worker) in one key; the
// node is looked up by worker. Taking the first finish leaves its place vacant, and the next start, which most often
// follows, takes that place: one walk through the heap instead of two.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "simulate/cores/quad_heap.hpp"

namespace foretask::simulate {

// Key: 64 bits where time and worker fit (see fits), else Wide.
template <typename Key>
class FinishQueue {
 public:
  explicit FinishQueue(std::uint32_t workers)
      : worker_bits_(worker_bits(workers)), node_on_(workers), keys_(workers + kHeapRoot + 8, kNoKey<Key>) {}

  [[nodiscard]] static bool fits(std::uint32_t workers, std::int64_t latest_ns) noexcept {
    const auto time_bits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(latest_ns)));
    // One bit more than needed: no key is all ones, which stands for no key.
    return worker_bits(workers) + time_bits < 8 * sizeof(Key);
  }

  [[nodiscard]] bool empty() const noexcept { return size_ == (vacant_ ? 1 : 0); }
  // Past every time when empty.
  [[nodiscard]] std::uint64_t next_time_ns() const noexcept {
    return static_cast<std::uint64_t>(next_key() >> worker_bits_);
  }

  void push(std::int64_t time_ns, std::uint32_t worker, analysis::NodeIndex node) noexcept {
    node_on_[worker] = node;
    const Key key = static_cast<Key>(static_cast<std::uint64_t>(time_ns)) << worker_bits_ | worker;
    if (vacant_) {
      vacant_ = false;
      sift_down(key);
    } else {
      sift_up(keys_.data(), size_++, key);
    }
  }

  // The worker that is done first; node_on() tells what it ran.
  std::uint32_t pop() noexcept {
    if (vacant_) close_vacancy();
    vacant_ = true;
    return static_cast<std::uint32_t>(keys_[kHeapRoot] & ((Key{1} << worker_bits_) - 1));
  }
  [[nodiscard]] analysis::NodeIndex node_on(std::uint32_t worker) const noexcept { return node_on_[worker]; }

 private:
  static unsigned worker_bits(std::uint32_t workers) noexcept {
    return std::max(1U, static_cast<unsigned>(std::bit_width(workers - 1)));
  }

  [[nodiscard]] Key next_key() const noexcept {
    if (!vacant_) return keys_[kHeapRoot];
    const Key* const group = keys_.data() + kHeapRoot + 1;
    return std::min(std::min(group[0], group[1]), std::min(group[2], group[3]));
  }

  void sift_down(Key key) noexcept {
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size_; child = 4 * hole + 1) {
      const Key* const group = keys_.data() + kHeapRoot + child;
      const std::size_t least = least_of_four(group);
      if (group[least] >= key) break;
      keys_[kHeapRoot + hole] = group[least];
      hole = child + least;
    }
    keys_[kHeapRoot + hole] = key;
  }

  void close_vacancy() noexcept {
    vacant_ = false;
    const Key last = keys_[kHeapRoot + --size_];
    keys_[kHeapRoot + size_] = kNoKey<Key>;
    if (size_ != 0) sift_down(last);
  }

  unsigned worker_bits_;
  bool vacant_ = false;
  std::size_t size_ = 0;  // the vacant place included
  std::vector<analysis::NodeIndex> node_on_;
  std::vector<Key> keys_;  // kNoKey behind the last: groups are always whole
};

}  // namespace foretask::simulate
