// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include <algorithm>
#include <vector>

#include "loop_part.hpp"
#include "loose_tasks.hpp"
#include "running_task.hpp"
#include "shadow_table.hpp"
#include "task_kernel.hpp"

namespace foretask::tbb {
namespace {

// A group for the context is begun by the thread's frame; false where another one has begun one. The context then holds
// the id of the task that has: of a thread's own code, that of its part in the team, or one that no task has.
bool claim(Context& context, const RecordedThread& thread) noexcept {
  constexpr std::uint64_t kNoTask = 1;
  std::uint64_t none = 0;
  const std::uint64_t name = thread.top->name != 0 ? thread.top->name : thread.member;
  return context.padding.load(std::memory_order_relaxed) == 0 &&
         context.padding.compare_exchange_strong(none, name != 0 ? name : kNoTask, std::memory_order_relaxed);
}

// The task that has begun a group for the context; 0: none that can be told.
std::uint64_t owner_of(const Context& context) noexcept {
  const std::uint64_t name = context.padding.load(std::memory_order_relaxed);
  return name >> 32 != 0 ? name : 0;
}

void give_up(Context& context) noexcept { context.padding.store(0, std::memory_order_relaxed); }

// Whether the frame's new task of the context is in the innermost group that is open here.
bool joins_group(const RecordedThread& thread, Context* context) noexcept {
  Frame& frame = *thread.top;
  if (!frame.runs || !context) return false;
  if (frame.group) return frame.group == context;
  if (frame.context == context) return !frame.is_loose;
  // Another thread than the program's first may end, and another one wait for its tasks.
  if (frame.name == 0 && !thread.is_main) return false;
  if (!claim(*context, thread)) return false;
  frame.group = context;
  foretask_record_0_(thread.stream, FORETASK_EVENT_GROUP_BEGIN);
  return true;
}

void create(const RecordedThread& thread, Task& task, Context* context, bool is_member, std::uint64_t after) {
  void** const table = is_shadowed(task) ? Shadow::original_of(task) : task.vtable;
  Shadow* const shadow = shadow_of(table, run_execute, run_cancel);
  if (!shadow) return;
  // parallel_for_each waits for an item that its body has fed, and the loop of the item's block does not.
  is_member = is_member && shadow->kind() != TaskClass::Kind::kFedItem;
  const TaskKernel kernel = kernel_of_new_task(task, *shadow);
  std::uint32_t flags = 0;
  if (!is_member) [[unlikely]] {
    flags = FORETASK_TASK_LOOSE;
    if (!thread.top->runs) flags |= FORETASK_TASK_ONE_ORDER;
    if (after != 0) flags |= FORETASK_TASK_HAS_DEPENDENCES;
  }
  const std::uint64_t name = foretask_record_task_create(thread.stream, kernel.code, flags);
  if (after != 0 && !is_member) {
    const std::uint32_t kind = FORETASK_DEPENDENCE_AFTER;
    foretask_record_dependences(thread.stream, &after, &kind, 1);
  }
  if (!is_member) loose_tasks().add(context, name);
  task.reserved[kName] = name;
  task.reserved[kMarks] = (is_member ? 0 : kIsLoose) | (kernel.counts_iterations ? kCountsIterations : 0);
  task.vtable = shadow->table();
}

}  // namespace

void record_creation(RecordedThread& thread, Task& task, Context* context, std::uint64_t after) {
  // A task that libtbb hands on to another thread.
  if (is_shadowed(task) && task.reserved[kName] != 0) return;
  if (LoopPart* const part = thread.top->part) [[unlikely]]
    part->give(task);
  create(thread, task, context, joins_group(thread, context), after);
}

ContextWait::ContextWait(RecordedThread* thread, Context& context, Task* root) : context_(context) {
  if (!thread) return;
  Frame& frame = *thread->top;
  if (!frame.runs) {
    // libtbb waits by itself.
    if (root) record_creation(*thread, *root, &context);
    return;
  }
  frame_ = &frame;
  foretask_stream* const stream = thread->stream;
  const bool has_group = frame.group == &context;
  if (has_group) {
    frame.group = nullptr;
    has_claimed_ = true;
  } else {
    foretask_record_0_(stream, FORETASK_EVENT_GROUP_BEGIN);
    has_claimed_ = claim(context, *thread);
    // Another task has spawned what this one waits for. An algorithm's own wait within one for the same context is for
    // its own tasks.
    if (!has_claimed_ && !root) owner_ = owner_of(context);
  }
  if (root) create(*thread, *root, &context, true, 0);
  foretask_counters_pause(stream);
  foretask_record_0_(stream, FORETASK_EVENT_GROUP_WAIT);
  frame.runs = false;
}

ContextWait::~ContextWait() {
  if (!frame_) return;
  if (has_claimed_) give_up(context_);
  RecordedThread* const thread = moves() ? running_thread() : thread_now();
  if (!thread) return;
  if (moves()) [[unlikely]]
    go_on(*thread, *frame_);
  frame_->runs = true;
  foretask_counters_resume(thread->stream, 0);
  foretask_record_0_(thread->stream, FORETASK_EVENT_GROUP_END);
  if (owner_ != 0) [[unlikely]]
    record_join(thread->stream, &owner_, 1, FORETASK_DEPENDENCE_GROUP);
  // A wait within another one for the same context does not wait for them.
  if (!has_claimed_) return;
  const std::vector<std::uint64_t> others = loose_tasks().take(&context_);
  record_join(thread->stream, others.data(), static_cast<std::uint32_t>(others.size()));
}

void record_context(Context& context) {
  context.padding.store(0, std::memory_order_relaxed);
  static_cast<void>(loose_tasks().take(&context));
}

void record_cancellation(const RecordedThread& thread, const Context& context) {
  const Frame& frame = *thread.top;
  const bool is_own = frame.group ? frame.group == &context : frame.context == &context && !frame.is_loose;
  if (!frame.runs || !is_own) return;
  const std::uint32_t what = FORETASK_CANCEL_TASKGROUP | FORETASK_CANCEL_ACTIVATED;
  foretask_record_extended_(thread.stream, FORETASK_EVENT_CANCEL, &what, 1);
}

void record_join(foretask_stream* stream, const std::uint64_t* names, std::uint32_t count, std::uint32_t kind) {
  if (count == 0) return;
  const std::uint64_t wait = foretask_record_task_create(
      stream, nullptr, FORETASK_TASK_WAIT | FORETASK_TASK_ONE_ORDER | FORETASK_TASK_HAS_DEPENDENCES);
  std::uint32_t kinds[FORETASK_DEPENDENCES_PER_EVENT];
  std::fill_n(kinds, FORETASK_DEPENDENCES_PER_EVENT, kind);
  for (std::uint32_t done = 0; done < count; done += FORETASK_DEPENDENCES_PER_EVENT)
    foretask_record_dependences(stream, names + done, kinds,
                                std::min<std::uint32_t>(count - done, FORETASK_DEPENDENCES_PER_EVENT));
  foretask_record_named_(stream, FORETASK_EVENT_DEPEND_WAIT_END, wait);
}

}  // namespace foretask::tbb
