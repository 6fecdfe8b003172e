// SPDX-License-Identifier: Apache-2.0
// HOT: the events of a task that took less than a grain, and of all that it made, become one: FORETASK_EVENT_SUBTREE.
// Where events are as many as a thread can write, most are of such subtrees.
#pragma once

#include <array>
#include <cstdint>

#include "foretask/hook.h"
#include "runtime/recording/counted_subtrees.hpp"

namespace foretask::runtime {

struct Grain {
  std::int64_t ticks = 0;        // tasks that take less are contracted; 0: none
  std::int64_t event_ticks = 0;  // what an event costs
  bool counts = true;            // tasks of short kinds are counted and not stamped
  bool has_untied = true;        // an untied task, too, stays on the thread that it began on, or its hook says so
};

// What a stream needs for that. Some 40 KiB. Owner only.
class SubtreeContraction {
 public:
  SubtreeContraction(const Grain& grain, TaskKinds& kinds) noexcept;

  // `started` has ended just now, by the stream's last event. The stream has a packet. Whether that may be contracted;
  // some ns.
  [[nodiscard]] bool is_candidate(const foretask_stream& stream, const foretask_started_task& started) noexcept;
  void contract(foretask_stream& stream, const foretask_started_task& started) noexcept;

  // Those that have started; the pointers are into the stream's packet.
  [[nodiscard]] foretask_started_task* started() noexcept { return started_.data(); }
  // Of tasks that are contracted.
  [[nodiscard]] std::uint32_t allowed_flags() const noexcept { return allowed_flags_; }
  // The tasks that have started keep their events: the packet is another one, or something was in them that is not told
  // in short.
  void keep_started() noexcept {
    for (foretask_started_task& task : started_) task.event = nullptr;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  static constexpr std::size_t kMostTasks = 1024;
  static constexpr std::size_t kMostDepth = 128;
  static constexpr std::size_t kMostKernels = FORETASK_KERNELS_PER_SUBTREE;
  static constexpr std::uint8_t kOfRoot = 0;  // in place of a kernel's index + 1

  enum class Reading : std::uint8_t { kGoesOn, kIsWhole, kIsOpen, kIsForeign };

  struct Kernel {
    std::uint64_t code;
    std::uint32_t tasks;
  };
  // Task 0 is the root, task n + 1 the nth that is made within it. Times in ticks.
  struct Task {
    std::uint32_t creator;
    std::uint32_t path;      // the longest one from the root's start to where it is now
    std::uint32_t began_at;  // where on that one it began
    std::uint32_t children;  // the longest one to the end of what it has made and not waited for
    std::uint32_t groups;    // that it has begun and not waited for
    std::uint32_t live;      // of its children, those that have not ended
    std::uint8_t kernel;
    bool is_at_once;  // its creator goes on behind it
    bool is_final;
    bool has_begun;
    bool has_ended;
    bool waits;
  };

  Reading read(const std::uint32_t* event, const std::uint32_t* end, const foretask_started_task& root) noexcept;
  Reading read_event(std::uint32_t kind, const std::uint32_t* payload) noexcept;
  Reading create(std::uint64_t code, std::uint32_t flags) noexcept;
  Reading begin(std::uint32_t task) noexcept;
  [[nodiscard]] bool is_end_of_first_part(std::uint32_t task) const noexcept;
  Reading end() noexcept;
  Reading wait(bool is_for_group, bool begins) noexcept;
  bool add_contracted(const std::uint32_t* payload) noexcept;
  void add_ticks(std::int64_t ticks) noexcept;
  // The place of a kernel + 1; 0: there are too many.
  std::uint8_t kernel_of(std::uint64_t code) noexcept;
  [[nodiscard]] std::int64_t own_ticks() const noexcept;
  // A subtree that took so long, of `took` with the recorder's own time.
  void note(std::uint32_t kind, std::int64_t ticks, std::uint32_t took) noexcept;
  void note_kernels() const noexcept;
  void note_part(const foretask_stream& stream, const foretask_started_task& started, std::int64_t ticks) noexcept;
  std::uint32_t* write(std::uint32_t* word, std::uint64_t ticks) const noexcept;

  Grain grain_;
  TaskKinds& kinds_;
  std::uint32_t allowed_flags_;
  std::array<foretask_started_task, FORETASK_STARTED_TASKS> started_{};
  std::array<Task, kMostTasks + 1> tasks_;
  std::array<std::uint32_t, kMostDepth> stack_;  // of tasks
  std::array<Kernel, kMostKernels> kernels_;
  std::array<std::int64_t, kMostKernels + 1> kernel_ticks_;
  std::size_t depth_ = 0;
  std::uint32_t made_ = 0;
  std::uint32_t ended_ = 0;
  std::uint32_t kernel_count_ = 0;
  std::uint32_t running_ = kNone;
  std::uint32_t root_ = 0;  // the numbers of the root, and of the first task that is made within it
  std::uint32_t first_task_ = 0;
  std::uint32_t code_high_ = 0;
  std::int64_t in_no_task_ = 0;
  std::int64_t tool_ = 0;
  std::uint32_t waits_ = 0;
  std::uint32_t groups_ = 0;
  std::uint32_t parts_ = 0;  // first ones, of untied tasks
  std::uint32_t since_noted_ = 0;
  bool takes_next_child_ = false;
  std::uint32_t counted_ = 0;  // of the tasks: without stamps
};

}  // namespace foretask::runtime
