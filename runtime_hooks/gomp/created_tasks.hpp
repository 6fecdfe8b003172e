// SPDX-License-Identifier: Apache-2.0
// The tasks of one taskloop, or that of one target. libgomp says nothing of those that it discards because their group
// or team was cancelled: a task that has not begun when its group or team has ended was discarded.
#pragma once

#include <omp-tools.h>

#include <atomic>
#include <cstdint>

#include "thread.hpp"

namespace foretask::gomp {

// With cancellation, each taskgroup has one, from its begin to its end.
struct TaskGroup {
  TaskGroup* outer;
};

// The innermost group of the thread's task; `opened` goes with the group's end, and is null where there is no memory.
TaskGroup* open_group(Thread& thread);
void close_group(Thread& thread, TaskGroup* opened);

class CreatedTasks {
 public:
  // Null: there is no memory. They are children of the thread's task, which waits for them in the taskloop's own group
  // if `has_group`.
  static CreatedTasks* make(std::uint64_t count, Thread& thread, bool has_group);

  // How the tasks that they make themselves are made.
  void set_made(Made made) { made_ = made; }
  // The listeners' word of the task with that number.
  [[nodiscard]] ompt_data_t& data(std::uint64_t number) { return data_[number]; }

  // Called when the creation of all has been told: now they may begin. Without a group the last one to begin frees
  // them. `task` and the listeners' word of it are those of the one that begins.
  void publish();
  void begin(std::uint64_t number, RunningTask& task, ompt_data_t& word);
  // Their group has ended: tells of those that never began, and frees them all.
  void end_group(const Thread& thread);

  // Taskloops without a group, some of whose tasks may not have begun: their creator's wait is over, or their team.
  static void discard_of_creator(const Thread& thread);
  static void discard_of_team(const Thread& thread, const void* team);
  // Their creator, the thread's task, ends before them.
  static void forget_creator(const RunningTask& creator);

 private:
  friend void close_group(Thread& thread, TaskGroup* opened);

  void unlink();
  void tell_of_discarded(const Thread& thread);
  template <typename Belongs>
  static void discard_where(const Thread& thread, Belongs belongs);

  CreatedTasks* previous_;
  CreatedTasks* next_;
  const RunningTask* creator_;
  TaskGroup* group_;
  const void* team_;
  Made made_;
  bool is_listed_;
  std::uint64_t count_;
  bool* has_begun_;                   // of each; where there is cancellation
  std::atomic<std::uint64_t> users_;  // the tasks that have not begun, and a creator that waits for them
  ompt_data_t data_[1];               // `count_` of them
};

// A task's body is over.
inline void forget_loose_loops(const RunningTask& task) {
  if (__builtin_expect(task.has_loose_loops, 0)) CreatedTasks::forget_creator(task);
}

}  // namespace foretask::gomp
