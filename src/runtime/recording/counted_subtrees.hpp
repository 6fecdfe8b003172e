// SPDX-License-Identifier: Apache-2.0
// HOT: subtrees in which tasks are counted and not stamped, because their kind is known to be short: as the stamped
// ones of a code, at one level, were. They are recorded as what SubtreeContraction makes of stamped ones.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "foretask/hook.h"

namespace foretask::runtime {

// What is known of the kinds of a recording's tasks. Any thread.
class TaskKinds {
 public:
  // A subtree that was stamped, without what the stamps cost, in ticks; or a kernel's tasks in it.
  struct Stamped {
    double ticks;
    double tasks;
  };

  explicit TaskKinds(double grain_ticks) noexcept : grain_ticks_(grain_ticks) { levels_.fill(1); }

  // Of a code in the ids of its tasks; 0 where there are too many codes. Some ns for each that is known.
  [[nodiscard]] std::uint64_t number_of(const void* code) noexcept;
  [[nodiscard]] const void* code_of(std::uint64_t number) const noexcept { return codes_[number].code.load(); }

  // What all numbers are below.
  [[nodiscard]] std::uint64_t numbers() const noexcept { return numbers_.load(std::memory_order_relaxed); }

  // A stamped subtree that is told in short. `span_ticks`: its longest path.
  void note(std::uint32_t kind, double ticks, double span_ticks) noexcept;
  // One that took half a grain or more, or cannot be told in short. It may count for several.
  void note_long(std::uint32_t kind, std::uint32_t weight = 1) noexcept;
  // Of a stamped subtree, how much was in a task of that code. After some of them a code's level is known.
  void note_part(std::uint32_t number, double part) noexcept;
  // Tasks of a code within a stamped subtree; null: the time between those of the subtree.
  void note_tasks(const void* code, const Stamped& stamped) noexcept;

  // In a short kind: of its time, how much is on its longest path.
  [[nodiscard]] double span_share(std::uint32_t kind) const noexcept;
  // What a task of the code took; number 0: between two tasks.
  [[nodiscard]] double mean_ticks(std::uint64_t number) const noexcept;
  [[nodiscard]] double grain_ticks() const noexcept { return grain_ticks_; }

  // Those of hook.h.
  [[nodiscard]] const std::uint8_t* short_kinds() const noexcept { return short_.data(); }
  [[nodiscard]] const std::uint8_t* levels() const noexcept { return levels_.data(); }
  // None is short from here on.
  void stop() noexcept;

 private:
  struct Code {
    std::atomic<const void*> code{nullptr};
    std::atomic<std::uint64_t> ticks{0};
    std::atomic<std::uint64_t> tasks{0};
    std::atomic<std::uint32_t> parts{0};
    std::atomic<float> part_logarithms{0};
  };
  struct Kind {
    std::atomic<std::uint32_t> stamped{0};
    std::atomic<std::uint32_t> long_ones{0};
    std::atomic<float> span_share{1};
  };

  void decide(std::uint32_t kind) noexcept;
  void set_short(std::uint32_t kind, bool is) noexcept {
    __atomic_store_n(&short_[kind], static_cast<std::uint8_t>(is ? 1 : 0), __ATOMIC_RELAXED);
  }

  double grain_ticks_;
  std::atomic<bool> is_stopped_{false};
  std::array<Code, FORETASK_ID_CODES> codes_;
  std::array<Kind, FORETASK_ID_KINDS> kinds_;
  std::array<std::uint8_t, FORETASK_ID_KINDS> short_{};
  std::array<std::uint8_t, FORETASK_ID_CODES> levels_;
  std::atomic<std::uint64_t> numbers_{1};
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
  [[nodiscard]] double write(foretask_stream& stream, const foretask_counting& counting) const noexcept;

  TaskKinds& kinds_;
  std::array<foretask_counting, kMostOpen> open_{};
  std::size_t open_count_ = 0;
  std::uint32_t until_stamped_ = kOneInStamped;
  std::uint32_t stamped_level_ = 0;  // of the short one that is stamped; 0: none is
  const std::uint32_t* stamped_event_ = nullptr;
};

}  // namespace foretask::runtime
