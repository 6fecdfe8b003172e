// SPDX-License-Identifier: Apache-2.0
#include "runtime/granularity/task_order.hpp"

#include <algorithm>

#include "statistics/random.hpp"

namespace foretask::runtime {

unsigned LearnedOrder::level(std::uint64_t history) const noexcept {
  for (std::size_t i = 0; i < kPlaces; ++i) {
    const Entry entry = entries_[(history / (kLevelMask + 1) + i) % kEntries].load(std::memory_order_relaxed);
    if (entry == 0) return 0;
    if ((entry ^ history) <= kLevelMask) return static_cast<unsigned>(entry & kLevelMask);
  }
  return 0;
}

void LearnedOrder::set(Entry entry) noexcept {
  const std::size_t first = entry / (kLevelMask + 1);
  for (std::size_t i = 0; i < kPlaces; ++i) {
    std::atomic<Entry>& place = entries_[(first + i) % kEntries];
    const Entry there = place.load(std::memory_order_relaxed);
    // The last of the places goes to whoever comes last.
    if (there != 0 && (there ^ entry) > kLevelMask && i + 1 < kPlaces) continue;
    place.store(entry, std::memory_order_relaxed);
    return;
  }
}

std::vector<LearnedOrder::Entry> LearnedOrder::entries() const {
  std::vector<Entry> all;
  for (const std::atomic<Entry>& one : entries_)
    if (const Entry entry = one.load(std::memory_order_relaxed); entry != 0) all.push_back(entry);
  return all;
}

TaskBatch::Task* TaskBatch::add(std::uint64_t code, std::span<const foretask_tuned_access> accesses) {
  if (tasks_.size() == kMost) return nullptr;
  const auto number = static_cast<std::uint32_t>(tasks_.size());
  std::uint64_t history = statistics::mixed_bits((tasks_.empty() ? 0 : tasks_.back().history) ^ code);
  const auto comes_after = [&](std::uint32_t task) {
    if (task == kNone || task == number) return;
    before_.push_back(task);
    history = statistics::mixed_bits(history ^ (number - task));
  };
  for (const foretask_tuned_access& access : accesses) {
    Place& place = places_[access.address];
    comes_after(place.writer);
    if (access.writes != 0) {
      for (std::uint32_t i = place.readers; i != kNone; i = readers_[i].next) comes_after(readers_[i].task);
      place = {.writer = number};
    } else {
      readers_.push_back({number, place.readers});
      place.readers = static_cast<std::uint32_t>(readers_.size() - 1);
    }
  }
  Task& task = tasks_.emplace_back();
  task.history = history;
  task.before_end = before_.size();
  return &task;
}

unsigned TaskBatch::level(const LearnedOrder& order) noexcept {
  if (const unsigned level = order.level(tasks_.back().history); level != 0) level_ = level;
  return level_;
}

bool TaskBatch::learn(LearnedOrder& order, base::Ticks least) noexcept {
  base::Ticks longest = 1;
  base::Ticks all = 0;
  for (std::size_t i = tasks_.size(); i-- > 0;) {
    Task& task = tasks_[i];
    const base::Ticks took = task.took.load(std::memory_order_relaxed);
    all += took;
    task.rank += took;
    longest = std::max(longest, task.rank);
    for (std::size_t edge = i == 0 ? 0 : tasks_[i - 1].before_end; edge < task.before_end; ++edge) {
      base::Ticks& rank = tasks_[before_[edge]].rank;
      rank = std::max(rank, task.rank);
    }
  }
  const bool is_long = all >= least * tasks_.size();
  if (is_long)
    for (const Task& task : tasks_)
      order.set((task.history & ~LearnedOrder::kLevelMask) | (1 + (LearnedOrder::kLevels - 1) * task.rank / longest));
  tasks_.clear();
  before_.clear();
  readers_.clear();
  places_.clear();
  level_ = 0;
  return is_long;
}

}  // namespace foretask::runtime
