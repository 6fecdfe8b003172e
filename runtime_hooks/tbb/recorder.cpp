// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include <algorithm>
#include <vector>

#include "handover.hpp"
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

// Whether a group may begin here with the frame's first task of the context.
bool may_begin_group(const RecordedThread& thread, const Context& context) noexcept {
  const Frame& frame = *thread.top;
  // Another thread than the program's first may end, and another one wait for its tasks.
  return frame.runs && !frame.group && frame.context != &context && (frame.name != 0 || thread.is_main);
}

void put_name(Task& task, Shadow& shadow, std::uint64_t name, std::uint64_t marks) noexcept {
  task.reserved[kName] = name;
  task.reserved[kMarks] = marks;
  task.vtable = shadow.table();
}

void create(const RecordedThread& thread, Task& task, Context* context, bool is_member, std::uint64_t after) {
  Shadow* const shadow = shadow_of(task);
  if (!shadow) return;
  // parallel_for_each waits for an item that its body has fed, and the loop of the item's block does not.
  is_member = is_member && shadow->kind() != TaskClass::Kind::kFedItem;
  const TaskKernel kernel = kernel_of_new_task(task, *shadow);
  if (kernel.counts_iterations && !kernel.named) shadow->note_loop_kernel();
  std::uint32_t flags = 0;
  if (!is_member) {
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
  put_name(task, *shadow, name, kernel.marks() | (is_member ? 0 : kIsLoose));
}

void begin_group(const RecordedThread& thread) { foretask_record_0_(thread.stream, FORETASK_EVENT_GROUP_BEGIN); }

// Creates it if that needs nothing but an append. Its group begins with it where that one is claimed for it.
inline bool try_create(const RecordedThread& thread, Task& task, bool begins_group) noexcept {
  Shadow* const shadow = known_shadow(task.vtable);
  if (!shadow) [[unlikely]]
    return false;
  std::uint64_t marks = 0;
  if (shadow->kind() != TaskClass::Kind::kPlain) [[unlikely]] {
    if (!shadow->has_loop_kernel()) return false;
    if (shadow->body().iterations_of(task) != 0) marks = kCountsIterations;
  }
  std::uint64_t name = 0;
  if (!foretask_try_task_create_(thread.stream, shadow->code(), begins_group ? 1 : 0, &name)) [[unlikely]]
    return false;
  put_name(task, *shadow, name, marks);
  return true;
}

[[gnu::noinline]] void record_first_slow(const RecordedThread& thread, Task& task, Context* context) {
  begin_group(thread);
  create(thread, task, context, true, 0);
}

[[gnu::noinline]] void create_slow(RecordedThread& thread, Task& task, Context* context, std::uint64_t after) {
  bool is_member = context && thread.top->joined == context;
  if (context && may_begin_group(thread, *context) && claim(*context, thread)) {
    thread.top->set_group(context);
    begin_group(thread);
    is_member = true;
  }
  create(thread, task, context, is_member, after);
}

[[gnu::noinline]] void record_creation_slow(RecordedThread& thread, Task& task, Context* context, std::uint64_t after) {
  // A task that libtbb hands on to another thread.
  if (is_shadowed(task) && task.reserved[kName] != 0) return;
  if (LoopPart* const part = thread.top->part) part->give(task);
  create_slow(thread, task, context, after);
}

// `claimed`: null where it is a wait within another one for the same context, which does not wait for loose tasks.
[[gnu::noinline]] void end_group_and_join(foretask_stream* stream, const Context* claimed, std::uint64_t owner) {
  foretask_record_0_(stream, FORETASK_EVENT_GROUP_END);
  if (owner != 0) record_join(stream, &owner, 1, FORETASK_DEPENDENCE_GROUP);
  if (!claimed) return;
  const std::vector<std::uint64_t> names = loose_tasks().take(claimed);
  record_join(stream, names.data(), static_cast<std::uint32_t>(names.size()));
}

}  // namespace

void record_creation(RecordedThread& thread, Task& task, Context* context) {
  Frame& frame = *thread.top;
  if (!context || is_shadowed(task)) [[unlikely]]
    return record_creation_slow(thread, task, context, 0);
  if (frame.part) frame.part->give(task);
  if (frame.joined == context) {
    if (try_create(thread, task, false)) [[likely]]
      return;
  } else if (may_begin_group(thread, *context) && claim(*context, thread)) {
    frame.set_group(context);
    if (try_create(thread, task, true)) [[likely]]
      return;
    return record_first_slow(thread, task, context);
  }
  create_slow(thread, task, context, 0);
}

void record_creation_after(RecordedThread& thread, Task& task, Context* context, std::uint64_t after) {
  record_creation_slow(thread, task, context, after);
}

ContextWait::ContextWait(RecordedThread* thread, Context& context, Task* root) : context_(context) {
  if (!thread) return;
  Frame& frame = *thread->top;
  if (!frame.runs) [[unlikely]] {
    // libtbb waits by itself.
    if (root) record_creation(*thread, *root, &context);
    return;
  }
  frame_ = &frame;
  const bool has_group = frame.group == &context;
  if (has_group) {
    has_claimed_ = true;
    frame.group = nullptr;
  } else {
    has_claimed_ = claim(context, *thread);
    if (!root) begin_group(*thread);
    // Another task has spawned what this one waits for. An algorithm's own wait within one for the same context is for
    // its own tasks.
    if (!has_claimed_ && !root) owner_ = owner_of(context);
  }
  if (root && (is_shadowed(*root) || !try_create(*thread, *root, !has_group))) {
    if (!has_group) begin_group(*thread);
    create(*thread, *root, &context, true, 0);
  }
  frame.set_runs(false);
  foretask_counters_pause(thread->stream);
  foretask_record_0_(thread->stream, FORETASK_EVENT_GROUP_WAIT);
}

[[gnu::noinline]] ContextWait::~ContextWait() {
  asm volatile("");  // as in thread_now()
  if (!frame_) {
    taken_over(&context_);
    return;
  }
  taken_over(&context_);  // from the tasks that it has waited for
  if (has_claimed_) give_up(context_);
  RecordedThread* const thread = moves() ? running_thread() : thread_here();
  if (!thread) return;
  if (moves()) [[unlikely]]
    go_on(*thread, *frame_);
  frame_->set_runs(true);
  foretask_counters_resume(thread->stream, 0);
  if (owner_ != 0 || (has_claimed_ && loose_tasks().has_any(&context_))) [[unlikely]]
    end_group_and_join(thread->stream, has_claimed_ ? &context_ : nullptr, owner_);
  else
    foretask_record_0_(thread->stream, FORETASK_EVENT_GROUP_END);
}

void record_context(Context& context) {
  give_up(context);
  if (loose_tasks().has_any(&context)) [[unlikely]]
    static_cast<void>(loose_tasks().take(&context));
}

void record_cancellation(const RecordedThread& thread, const Context& context) {
  const Frame& frame = *thread.top;
  const bool is_own = frame.group ? frame.group == &context : frame.context == &context && !frame.is_loose;
  if (!frame.runs || !is_own) return;
  const std::uint32_t what = FORETASK_CANCEL_TASKGROUP | FORETASK_CANCEL_ACTIVATED;
  foretask_record_extended_(thread.stream, FORETASK_EVENT_CANCEL, &what, 1);
}

std::uint64_t begin_join(foretask_stream* stream, const std::uint64_t* names, std::uint32_t count, std::uint32_t kind) {
  const std::uint64_t wait = foretask_record_task_create(
      stream, nullptr, FORETASK_TASK_WAIT | FORETASK_TASK_ONE_ORDER | FORETASK_TASK_HAS_DEPENDENCES);
  std::uint32_t kinds[FORETASK_DEPENDENCES_PER_EVENT];
  std::fill_n(kinds, FORETASK_DEPENDENCES_PER_EVENT, kind);
  for (std::uint32_t done = 0; done < count; done += FORETASK_DEPENDENCES_PER_EVENT)
    foretask_record_dependences(stream, names + done, kinds,
                                std::min<std::uint32_t>(count - done, FORETASK_DEPENDENCES_PER_EVENT));
  return wait;
}

void record_join(foretask_stream* stream, const std::uint64_t* names, std::uint32_t count, std::uint32_t kind) {
  if (count == 0) return;
  foretask_record_named_(stream, FORETASK_EVENT_DEPEND_WAIT_END, begin_join(stream, names, count, kind));
}

}  // namespace foretask::tbb
