// SPDX-License-Identifier: Apache-2.0
// HOT: a min-heap of unsigned keys with four children a node. A key holds all there is to an entry, so nothing outside
// is touched, and the four children of a node share a cache line. Memory grows by doubling, never per entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "base/wide.hpp"
#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/task_graph.hpp"

namespace foretask::simulate {

using base::Wide;  // a key of two words

// A heap's keys: groups of children begin at multiples of four. Behind the last key stands kNoKey, so that groups are
// always whole.
inline constexpr std::size_t kHeapRoot = 3;
template <typename Key>
inline constexpr Key kNoKey = ~Key{0};

// The place in its group of the smallest of four.
template <typename Key>
[[nodiscard]] std::size_t least_of_four(const Key* group) noexcept {
  const std::size_t low = group[1] < group[0] ? 1 : 0;
  const std::size_t high = group[3] < group[2] ? 3 : 2;
  return group[high] < group[low] ? high : low;
}

// Puts `key` into the hole, or above it.
template <typename Key>
void sift_up(Key* keys, std::size_t hole, Key key) noexcept {
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / 4;
    if (keys[kHeapRoot + parent] <= key) break;
    keys[kHeapRoot + hole] = keys[kHeapRoot + parent];
    hole = parent;
  }
  keys[kHeapRoot + hole] = key;
}

template <typename Key>
class QuadHeap {
 public:
  QuadHeap() { grow(64); }
  QuadHeap(const QuadHeap&) = delete;
  QuadHeap& operator=(const QuadHeap&) = delete;
  ~QuadHeap() { ::operator delete(keys_, kAlignment); }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // The smallest key; all ones when there is none.
  [[nodiscard]] Key top() const noexcept { return keys_[kHeapRoot]; }

  void push(Key key) {
    if (size_ + kSpare > capacity_) [[unlikely]]
      grow(2 * capacity_);
    sift_up(keys_, size_++, key);
  }

  // Takes the smallest key; the heap must not be empty.
  Key pop() noexcept {
    const Key smallest = keys_[kHeapRoot];
    const Key last = keys_[kHeapRoot + --size_];
    keys_[kHeapRoot + size_] = kNoKey<Key>;
    if (size_ == 0) return smallest;
    // The hole goes down to a leaf along the smallest children, then `last`, which most often belongs near the leaves,
    // goes up from there: fewer comparisons than testing `last` on each level.
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size_; child = 4 * hole + 1) {
      const Key* const group = keys_ + kHeapRoot + child;
      const std::size_t least = least_of_four(group);
      keys_[kHeapRoot + hole] = group[least];
      hole = child + least;
    }
    sift_up(keys_, hole, last);
    return smallest;
  }

 private:
  static constexpr std::size_t kSpare = 8;  // root offset, and room for a whole last group
  static constexpr std::align_val_t kAlignment{64};

  void grow(std::size_t capacity) {
    auto* const keys = static_cast<Key*>(::operator new(capacity * sizeof(Key), kAlignment));
    for (std::size_t i = 0; i < capacity; ++i) keys[i] = i < capacity_ ? keys_[i] : kNoKey<Key>;
    ::operator delete(keys_, kAlignment);
    keys_ = keys;
    capacity_ = capacity;
  }

  Key* keys_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// HOT: finishes or releases to come, by time and then by node index.
struct Event {
  std::int64_t time_ns;
  analysis::NodeIndex node;
  std::uint32_t worker;  // kNoWorker where the node runs on none
};

using analysis::kNoWorker;

class EventQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
  // Past every time of an event.
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  // Of the next event; kNever when there is none.
  [[nodiscard]] std::uint64_t next_time_ns() const noexcept { return static_cast<std::uint64_t>(heap_.top() >> 64); }
  void push(const Event& event) {
    heap_.push(static_cast<Wide>(static_cast<std::uint64_t>(event.time_ns)) << 64 |
               static_cast<Wide>(event.node) << 32 | event.worker);
  }
  Event pop() noexcept {
    const Wide key = heap_.pop();
    return {static_cast<std::int64_t>(key >> 64), static_cast<analysis::NodeIndex>(key >> 32),
            static_cast<std::uint32_t>(key)};
  }

 private:
  QuadHeap<Wide> heap_;
};

}  // namespace foretask::simulate
