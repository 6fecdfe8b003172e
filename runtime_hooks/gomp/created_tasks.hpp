// SPDX-License-Identifier: Apache-2.0
// Tasks that one call of the program created. libgomp says nothing of tasks that it discards, because their group or
// team was cancelled: what has not begun when that has ended was discarded.
#pragma once

#include <omp-tools.h>

#include <atomic>
#include <cstdint>

#include "thread.hpp"

namespace foretask::gomp {

// Where there is cancellation, each taskgroup has one, from its begin to its end.
struct TaskGroup {
  TaskGroup* outer;
};

// The innermost group of the thread's task; `opened` goes with the group's end, and is null where there is no memory.
TaskGroup* open_group(Thread& thread);
void close_group(Thread& thread, TaskGroup* opened);

class CreatedTasks {
 public:
  // Null: there is no memory. They are children of the thread's task.
  static CreatedTasks* make(std::uint64_t count, const Thread& thread);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] TaskGroup* group() const { return group_; }
  [[nodiscard]] const void* team() const { return team_; }
  // What they make themselves.
  [[nodiscard]] Made made() const { return made_; }
  void set_made(Made made) { made_ = made; }
  // The listeners' word of the task with that number.
  [[nodiscard]] ompt_data_t& data(std::uint64_t number) { return data_[number]; }

  // Once all are told of; from here on they may begin and end, and the last end frees them.
  void publish();
  void begin(std::uint64_t number);
  void end() { end_some(1); }

  // Where `group` or, if that is null, `team` is over: tells of those that never began.
  static void discard_of_group(const Thread& thread, const TaskGroup* group);
  static void discard_of_team(const Thread& thread, const void* team);

 private:
  void end_some(std::uint64_t ended);
  void unlink();
  std::uint64_t discard(const Thread& thread);
  template <typename Belongs>
  static void discard_where(const Thread& thread, Belongs belongs);

  CreatedTasks* previous_;
  CreatedTasks* next_;
  TaskGroup* group_;
  const void* team_;
  Made made_;
  std::uint64_t count_;
  std::uint64_t waiting_;  // not begun; where there is cancellation
  bool* has_begun_;        // of each; the same
  std::atomic<std::uint64_t> unfinished_;
  ompt_data_t data_[1];  // `count_` of them
};

}  // namespace foretask::gomp
