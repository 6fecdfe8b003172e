// SPDX-License-Identifier: Apache-2.0
#include "created_tasks.hpp"

#include <cstdlib>
#include <mutex>
#include <new>

#include "kit/handover.hpp"
#include "libgomp.hpp"
#include "task_run.hpp"

namespace foretask::gomp {
namespace {

// Taskloops without a group, where there is cancellation, as long as some of their tasks have not begun.
std::mutex list_mutex;
std::atomic<CreatedTasks*> first{nullptr};  // written under the lock

}  // namespace

TaskGroup* open_group(Thread& thread) {
  if (!has_cancellation) return nullptr;
  auto* const group = static_cast<TaskGroup*>(std::malloc(sizeof(TaskGroup)));
  if (group == nullptr) return nullptr;
  group->outer = thread.current->group;
  thread.current->group = group;
  return group;
}

void close_group(Thread& thread, TaskGroup* opened) {
  if (opened == nullptr) return;
  CreatedTasks::discard_where(thread, [opened](const CreatedTasks& tasks) { return tasks.group_ == opened; });
  thread.current->group = opened->outer;
  std::free(opened);
}

CreatedTasks* CreatedTasks::make(std::uint64_t count, Thread& thread, bool has_group) {
  const std::uint64_t bytes = has_cancellation ? sizeof(ompt_data_t) + sizeof(bool) : sizeof(ompt_data_t);
  if (count > (std::uint64_t{1} << 40)) return nullptr;
  void* const place = std::calloc(1, sizeof(CreatedTasks) + count * bytes);
  if (place == nullptr) return nullptr;
  auto* const made = new (place) CreatedTasks;
  made->previous_ = made->next_ = nullptr;
  made->creator_ = thread.current;
  made->group_ = thread.current->group;
  made->team_ = thread.current->team;
  made->made_ = Made::kDeferred;
  made->is_listed_ = has_cancellation && !has_group;
  made->count_ = count;
  made->has_begun_ = has_cancellation ? reinterpret_cast<bool*>(made->data_ + count) : nullptr;
  made->users_.store(has_group ? count + 1 : count, std::memory_order_relaxed);
  if (made->is_listed_) thread.current->has_loose_loops = true;
  return made;
}

void CreatedTasks::publish() {
  handed_over(this);  // to the tasks, by libgomp
  if (!is_listed_) return;
  const std::lock_guard lock(list_mutex);
  next_ = first.load(std::memory_order_relaxed);
  if (next_ != nullptr) next_->previous_ = this;
  first.store(this, std::memory_order_relaxed);
}

// Release and acquire: whoever frees them comes after all that others did with them.
void CreatedTasks::begin(std::uint64_t number, RunningTask& task, ompt_data_t& word) {
  taken_over(this);  // from publish()
  word = data_[number];
  task.data = &word;
  task.group = group_;
  task.team = team_;
  task.made = made_;
  if (has_begun_ != nullptr) has_begun_[number] = true;
  if (users_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (is_listed_) {
    const std::lock_guard lock(list_mutex);
    unlink();
  }
  std::free(this);
}

void CreatedTasks::end_group(const Thread& thread) {
  if (users_.load(std::memory_order_acquire) != 1) tell_of_discarded(thread);
  std::free(this);
}

void CreatedTasks::unlink() {
  if (next_ != nullptr) next_->previous_ = previous_;
  if (previous_ != nullptr) {
    previous_->next_ = next_;
  } else {
    first.store(next_, std::memory_order_relaxed);
  }
}

void CreatedTasks::tell_of_discarded(const Thread& thread) {
  if (has_begun_ == nullptr) return;
  for (std::uint64_t number = 0; number < count_; ++number)
    if (!has_begun_[number]) tell_discarded(thread, data_[number]);
}

// None of those that belong can begin any more.
template <typename Belongs>
void CreatedTasks::discard_where(const Thread& thread, Belongs belongs) {
  if (first.load(std::memory_order_relaxed) == nullptr) return;
  const std::lock_guard lock(list_mutex);
  for (CreatedTasks* at = first.load(std::memory_order_relaxed); at != nullptr;) {
    CreatedTasks* const tasks = at;
    at = at->next_;
    if (!belongs(*tasks)) continue;
    static_cast<void>(tasks->users_.load(std::memory_order_acquire));
    tasks->tell_of_discarded(thread);
    tasks->unlink();
    std::free(tasks);
  }
}

void CreatedTasks::discard_of_creator(const Thread& thread) {
  const RunningTask* const creator = thread.current;
  discard_where(thread, [creator](const CreatedTasks& tasks) { return tasks.creator_ == creator; });
}

void CreatedTasks::discard_of_team(const Thread& thread, const void* team) {
  discard_where(thread, [team](const CreatedTasks& tasks) { return tasks.team_ == team; });
}

void CreatedTasks::forget_creator(const RunningTask& creator) {
  const std::lock_guard lock(list_mutex);
  for (CreatedTasks* at = first.load(std::memory_order_relaxed); at != nullptr; at = at->next_)
    if (at->creator_ == &creator) at->creator_ = nullptr;
}

}  // namespace foretask::gomp
