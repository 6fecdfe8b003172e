// SPDX-License-Identifier: Apache-2.0
#include "created_tasks.hpp"

#include <cstdlib>
#include <mutex>
#include <new>

#include "handover.hpp"
#include "libgomp.hpp"

namespace foretask::gomp {
namespace {

// Of all that have tasks that have not begun.
std::mutex list_mutex;
CreatedTasks* first = nullptr;

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
  CreatedTasks::discard_of_group(thread, opened);
  thread.current->group = opened->outer;
  std::free(opened);
}

CreatedTasks* CreatedTasks::make(std::uint64_t count, const Thread& thread) {
  const std::uint64_t bytes = has_cancellation ? sizeof(ompt_data_t) + sizeof(bool) : sizeof(ompt_data_t);
  if (count > (std::uint64_t{1} << 40)) return nullptr;
  void* const place = std::calloc(1, sizeof(CreatedTasks) + count * bytes);
  if (place == nullptr) return nullptr;
  auto* const made = new (place) CreatedTasks;
  made->previous_ = made->next_ = nullptr;
  made->group_ = thread.current->group;
  made->team_ = thread.current->team;
  made->made_ = Made::kDeferred;
  made->count_ = made->waiting_ = count;
  made->has_begun_ = has_cancellation ? reinterpret_cast<bool*>(made->data_ + count) : nullptr;
  made->unfinished_.store(count, std::memory_order_relaxed);
  return made;
}

void CreatedTasks::publish() {
  handed_over(this);  // to the tasks, by libgomp
  if (!has_cancellation) return;
  const std::lock_guard lock(list_mutex);
  next_ = first;
  if (first != nullptr) first->previous_ = this;
  first = this;
}

void CreatedTasks::begin(std::uint64_t number) {
  taken_over(this);  // from publish()
  if (!has_cancellation) return;
  const std::lock_guard lock(list_mutex);
  has_begun_[number] = true;
  if (--waiting_ == 0) unlink();
}

void CreatedTasks::unlink() {
  if (next_ != nullptr) next_->previous_ = previous_;
  (previous_ != nullptr ? previous_->next_ : first) = next_;
}

// Release and acquire: whoever frees them comes after all that others did with them.
void CreatedTasks::end_some(std::uint64_t ended) {
  if (ended != 0 && unfinished_.fetch_sub(ended, std::memory_order_acq_rel) == ended) std::free(this);
}

std::uint64_t CreatedTasks::discard(const Thread& thread) {
  std::uint64_t discarded = 0;
  for (std::uint64_t number = 0; number < count_; ++number) {
    if (has_begun_[number]) continue;
    tell(callbacks.task_schedule, &data_[number], ompt_task_cancel, thread.current->data);
    ++discarded;
  }
  unlink();
  return discarded;
}

template <typename Belongs>
void CreatedTasks::discard_where(const Thread& thread, Belongs belongs) {
  const std::lock_guard lock(list_mutex);
  for (CreatedTasks* at = first; at != nullptr;) {
    CreatedTasks* const tasks = at;
    at = at->next_;
    if (belongs(*tasks)) tasks->end_some(tasks->discard(thread));
  }
}

void CreatedTasks::discard_of_group(const Thread& thread, const TaskGroup* group) {
  if (has_cancellation) discard_where(thread, [group](const CreatedTasks& tasks) { return tasks.group_ == group; });
}

void CreatedTasks::discard_of_team(const Thread& thread, const void* team) {
  if (has_cancellation) discard_where(thread, [team](const CreatedTasks& tasks) { return tasks.team_ == team; });
}

}  // namespace foretask::gomp
