// SPDX-License-Identifier: Apache-2.0
// HOT: in which order tasks with dependences are taken up: first those that the longest chain of others comes after.
// How long it is is known where the same tasks were made in the same order before, in this run or in an earlier one.
// docs/tune.md says why it is not predicted by kernel.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "foretask/tune_hook.h"

namespace foretask::runtime {

// The priorities of tasks, by all that was made before them. Any thread, without a lock: of two that are set at once
// one may be lost.
class LearnedOrder {
 public:
  static constexpr unsigned kLevels = FORETASK_TUNED_PRIORITIES;

  // A task by its history, the priority in the lowest byte.
  using Entry = std::uint64_t;
  static constexpr std::uint64_t kLevelMask = 0xff;

  // 1 to kLevels; 0: not known.
  [[nodiscard]] unsigned level(std::uint64_t history) const noexcept;
  void set(Entry entry) noexcept;

  [[nodiscard]] std::vector<Entry> entries() const;

 private:
  static constexpr std::size_t kEntries = std::size_t{1} << 16;
  static constexpr std::size_t kPlaces = 8;  // one of which is a task's

  std::array<std::atomic<Entry>, kEntries> entries_{};
};

// The tasks with dependences that a thread outside of tasks has made since it last waited for all of them. By one
// thread at a time: the one that makes them, or one that ends the process.
class TaskBatch {
 public:
  struct Task {
    std::atomic<base::Ticks> took{0};  // written by whoever has run it
    std::uint64_t history = 0;
    base::Ticks rank = 0;
    std::size_t before_end = 0;  // of those in before_ that it comes after
  };

  // One more, of the code that is called so in every run. Null: there are too many. Throws std::bad_alloc.
  Task* add(std::uint64_t code, std::span<const foretask_tuned_access> accesses);

  // Of the latest one: where it is not known, that of the latest one that is. 0: none of them.
  [[nodiscard]] unsigned level(const LearnedOrder& order) noexcept;

  // All have ended: what follows each of them is known. The next task begins another batch. False: they are too short
  // for their order to matter.
  bool learn(LearnedOrder& order, base::Ticks least) noexcept;

  // False: another thread has it. Nobody waits.
  [[nodiscard]] bool try_lock() noexcept { return !is_locked_.exchange(true, std::memory_order_acquire); }
  void unlock() noexcept { is_locked_.store(false, std::memory_order_release); }

  [[nodiscard]] bool is_empty() const noexcept { return tasks_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return tasks_.size(); }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 16;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Reader {
    std::uint32_t task;
    std::uint32_t next;
  };
  struct Place {
    std::uint32_t writer = kNone;   // the last one
    std::uint32_t readers = kNone;  // since
  };

  std::atomic<bool> is_locked_{false};
  unsigned level_ = 0;
  std::deque<Task> tasks_;  // stay where they are
  std::vector<std::uint32_t> before_;
  std::vector<Reader> readers_;
  std::unordered_map<const void*, Place> places_;
};

}  // namespace foretask::runtime
