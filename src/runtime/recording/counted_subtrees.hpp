// SPDX-License-Identifier: Apache-2.0
// HOT: subtrees in which tasks are counted and not stamped, because their kind is known to be short: as the stamped
// ones of a code, at one level, were. They are recorded as what SubtreeContraction makes of stamped ones. In
// whole numbers, so that nothing is rounded in floating point: the program may have asked for a trap there.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "foretask/hook.h"

namespace foretask::runtime {

// What is known of the kinds of a recording's tasks. Any thread.
class TaskKinds {
 public:
  explicit TaskKinds(std::int64_t grain_ticks) noexcept : first_grain_ticks_(grain_ticks), grain_ticks_(grain_ticks) {
    levels_.fill(1);
  }

  // Of a code in the ids of its tasks; 0 where there are too many codes. Some ns for each that is known.
  [[nodiscard]] std::uint64_t number_of(const void* code) noexcept;
  [[nodiscard]] const void* code_of(std::uint64_t number) const noexcept { return codes_[number].load(); }

  // A stamped subtree that is told in short took so long, without what its stamps cost. `path` of `took`: its longest
  // path, and all of it, with them. It counts for `weight` such.
  void note(std::uint32_t kind, std::int64_t ticks, std::uint32_t path, std::uint32_t took,
            std::uint32_t weight = 1) noexcept;
  // As much is known of the kind as is kept: one in so many tells as well, and costs the threads less, which all write
  // here.
  [[nodiscard]] bool is_known(std::uint32_t kind) const noexcept {
    return kinds_[kind].stamped.load(std::memory_order_relaxed) >= kMostStamped / 2;
  }
  static constexpr std::uint32_t kOneNotedIn = 16;
  // One that is_long(), or cannot be told in short. It may count for several.
  void note_long(std::uint32_t kind, std::uint32_t weight = 1) noexcept;
  // Of a stamped subtree of `whole` ticks, how many were in a task of that code. After some of them a code's level is
  // known.
  void note_part(std::uint32_t number, std::uint64_t part, std::uint64_t whole) noexcept;
  // What tasks of a code took within a stamped subtree; null: the time between those of the subtree.
  void note_tasks(const void* code, std::int64_t ticks, std::uint64_t tasks) noexcept;

  static constexpr unsigned kFraction = 8;  // bits of a mean's
  // In a short kind: so much of its time, in 65,536ths, is on its longest path.
  [[nodiscard]] std::uint64_t span_share(std::uint32_t kind) const noexcept;
  // What a task of the code took, in 256ths of a tick; number 0: between two tasks.
  [[nodiscard]] std::uint64_t mean_ticks(std::uint64_t number) const noexcept;
  // Four fifths of a grain, so that few of a short kind take a grain.
  [[nodiscard]] bool is_long(std::int64_t ticks) const noexcept { return 5 * ticks >= 4 * grain_ticks(); }
  [[nodiscard]] std::int64_t grain_ticks() const noexcept { return grain_ticks_.load(std::memory_order_relaxed); }

  // Those of hook.h.
  [[nodiscard]] const std::uint8_t* short_kinds() const noexcept { return short_.data(); }
  [[nodiscard]] const std::uint8_t* levels() const noexcept { return levels_.data(); }
  // The recording has come to so many bytes: beyond kBytesOfGrain the grain grows as they do.
  void note_bytes(std::uint64_t bytes) noexcept;
  static constexpr std::uint64_t kBytesOfGrain = 24 << 20;
  // None is short from here on, and none is contracted.
  void stop() noexcept;
  [[nodiscard]] bool is_stopped() const noexcept { return is_stopped_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint32_t kMostStamped = 256;  // then all are halved: the latest count most

  struct CodeTimes {
    std::atomic<std::uint64_t> ticks{0};
    std::atomic<std::uint64_t> tasks{0};
    std::atomic<std::uint32_t> parts{0};
    std::atomic<std::int32_t> part_logarithms{0};
  };
  struct Kind {
    std::atomic<std::uint32_t> stamped{0};
    std::atomic<std::uint32_t> long_ones{0};
    std::atomic<std::uint32_t> span_share{0};
  };

  void decide(std::uint32_t kind) noexcept;
  void set_short(std::uint32_t kind, bool is) noexcept {
    // Without need it is not written: the other threads would have to fetch it anew.
    const std::uint8_t value = is ? 1 : 0;
    if (__atomic_load_n(&short_[kind], __ATOMIC_RELAXED) != value)
      __atomic_store_n(&short_[kind], value, __ATOMIC_RELAXED);
  }

  std::int64_t first_grain_ticks_;
  std::atomic<std::int64_t> grain_ticks_;
  std::atomic<bool> is_stopped_{false};
  // What each creation reads is on other lines of the caches than what is written all the time.
  std::array<std::atomic<const void*>, FORETASK_ID_CODES> codes_{};
  alignas(64) std::array<CodeTimes, FORETASK_ID_CODES> times_;
  alignas(64) std::array<Kind, FORETASK_ID_KINDS> kinds_;
  alignas(64) std::array<std::uint8_t, FORETASK_ID_KINDS> short_{};
  std::array<std::uint8_t, FORETASK_ID_CODES> levels_;
};

// A stream's. Owner only.
class CountedSubtrees {
 public:
  explicit CountedSubtrees(TaskKinds& kinds) noexcept : kinds_(kinds) {}

  // The functions of hook.h.
  [[nodiscard]] std::uint64_t number_of(const void* code) noexcept { return kinds_.number_of(code); }
  void begin(foretask_stream& stream, std::uint64_t task) noexcept;
  void end(foretask_stream& stream) noexcept;
  [[nodiscard]] std::uint64_t take(foretask_stream& stream, std::uint64_t task) noexcept;

 private:
  static constexpr std::size_t kMostOpen = 16;
  static constexpr std::uint32_t kOneInStamped = 64;
  static constexpr std::uint32_t kTasksALook = 16;

  [[nodiscard]] bool is_in_stamped(const foretask_stream& stream) const noexcept;
  [[nodiscard]] std::int64_t write(foretask_stream& stream, const foretask_counting& counting) const noexcept;

  TaskKinds& kinds_;
  std::array<foretask_counting, kMostOpen> open_{};
  std::size_t open_count_ = 0;
  std::uint32_t until_stamped_ = kOneInStamped;
  std::uint32_t stamped_level_ = 0;  // of the short one that is stamped; 0: none is
  const std::uint32_t* stamped_event_ = nullptr;
};

}  // namespace foretask::runtime
