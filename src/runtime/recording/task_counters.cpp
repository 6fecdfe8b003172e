// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/task_counters.hpp"

#include "statistics/random.hpp"
#include "trace/event_table.hpp"

namespace foretask::runtime {
namespace {

constexpr std::uint64_t kTop = std::uint64_t{1} << 63;

}  // namespace

bool TaskCounters::is_sampled(std::uint64_t task) const noexcept {
  return sampling_ == 1 || (task != 0 && statistics::mixed_bits(task) % sampling_ == 0);
}

void TaskCounters::turn(foretask_stream& stream, bool next) noexcept {
  const bool ends = counted_;
  counted_ = false;
  if (!ends && !next) return;
  // A stream that takes no events any more needs no reads. In a forked child, too.
  if (__atomic_load_n(&stream.limit, __ATOMIC_RELAXED) == nullptr) return;
  std::array<std::uint64_t, FORETASK_MAX_COUNTERS> now{};
  if (!counters_->read(now.data())) {
    stream.counters = nullptr;
    failures_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  for (std::uint32_t i = 0; ends && i < count_; ++i) counted_since_[i] += now[i] - since_[i];
  has_counted_ = has_counted_ || ends;
  std::uint32_t* word = foretask_event_begin_(&stream, FORETASK_EVENT_TASK_COUNTERS);
  if (word) {
    *word++ = ends ? count_ : 0;
    for (std::uint32_t i = 0; ends && i < count_; ++i) trace::put_u64(word, now[i] - since_[i]);
    foretask_event_end_(&stream, word);
  }
  since_ = now;
  counted_ = next;
}

bool TaskCounters::take(std::uint64_t* sums) noexcept {
  if (!has_counted_) return false;
  has_counted_ = false;
  for (std::uint32_t i = 0; i < count_; ++i) sums[i] += std::exchange(counted_since_[i], 0);
  return true;
}

void TaskCounters::go_on(foretask_stream& stream, std::uint64_t task, bool runs) noexcept {
  top_ = task;
  running_ = runs;
  turn(stream, runs && is_sampled(task));
}

void TaskCounters::switch_to(foretask_stream& stream, std::uint64_t next) noexcept {
  below_ = below_ << 1 | (running_ ? 1U : 0U);
  go_on(stream, next, true);
}

void TaskCounters::end(foretask_stream& stream, std::uint64_t ended, std::uint64_t resumed) noexcept {
  if (ended != 0 && ended != top_) return;
  const bool runs = (below_ & 1U) != 0;
  below_ = below_ >> 1 | kTop;
  go_on(stream, resumed, runs);
}

void TaskCounters::pause(foretask_stream& stream) noexcept { go_on(stream, top_, false); }

void TaskCounters::resume(foretask_stream& stream, std::uint64_t task) noexcept {
  go_on(stream, task != 0 ? task : top_, true);
}

}  // namespace foretask::runtime
