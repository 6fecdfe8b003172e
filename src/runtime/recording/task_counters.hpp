// SPDX-License-Identifier: Apache-2.0
// HOT where counters are asked for: what of a thread's counters its tasks have used, read when the thread goes from one
// task to another and written into its stream. The owning thread alone. A read costs a system call (0.3 to 2 us), which
// is why there are as few as possible: the end of one task's count is the beginning of the next one's.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "foretask/hook.h"
#include "runtime/counters/counter_source.hpp"

namespace foretask::runtime {

class TaskCounters {
 public:
  // One task in `sampling` is counted, the implicit ones among them; chosen by a hash of their names, so that no
  // pattern in the program's tasks can meet one in the choice. 1: each. `failures` grows by one when the counters
  // cannot be read any more, after which they are left alone.
  TaskCounters(std::unique_ptr<ThreadCounters> counters, std::uint32_t count, std::uint32_t sampling,
               std::atomic<std::uint32_t>& failures) noexcept
      : counters_(std::move(counters)), failures_(failures), count_(count), sampling_(sampling == 0 ? 1 : sampling) {}

  // Just before the event that each goes with. See hook.h.
  void switch_to(foretask_stream& stream, std::uint64_t next) noexcept;
  void end(foretask_stream& stream, std::uint64_t ended, std::uint64_t resumed) noexcept;
  void pause(foretask_stream& stream) noexcept;
  void resume(foretask_stream& stream, std::uint64_t task) noexcept;

  // What was counted since the last call, added to `sums`, as many as there are counters. False: nothing was.
  [[nodiscard]] bool take(std::uint64_t* sums) noexcept;

  [[nodiscard]] bool is_sampled(std::uint64_t task) const noexcept;

 private:
  // Ends the present count, if there is one, and begins another where `next` says so; one read serves both. A read for
  // a beginning alone is an event without values: its cost has to be known, too.
  void turn(foretask_stream& stream, bool next) noexcept;
  // `task` is the one on top from here on.
  void go_on(foretask_stream& stream, std::uint64_t task, bool runs) noexcept;

  std::unique_ptr<ThreadCounters> counters_;
  std::atomic<std::uint32_t>& failures_;
  std::uint32_t count_;
  std::uint32_t sampling_;
  std::uint64_t top_ = 0;  // the name of the running or waiting task; 0: unknown
  bool counted_ = false;   // the running task is being counted
  bool running_ = false;   // the task on top has not begun to wait
  // Whether each task below the top one was running when it was left, one bit each, the next one lowest. Beyond 64, and
  // of tasks that came by another way: as if they were, which costs a read whose values belong to no task and are
  // dropped by the reader.
  std::uint64_t below_ = ~std::uint64_t{0};
  std::array<std::uint64_t, FORETASK_MAX_COUNTERS> since_{};
  std::array<std::uint64_t, FORETASK_MAX_COUNTERS> counted_since_{};  // not taken yet
  bool has_counted_ = false;
};

// The names of what is counted, for who learns by it; null: nothing is. They stay.
inline constinit std::atomic<const std::vector<std::string>*> task_counter_names{nullptr};

}  // namespace foretask::runtime
