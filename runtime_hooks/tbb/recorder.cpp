// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foretask/task_hook.hpp"
#include "kit/handover.hpp"
#include "loop_part.hpp"
#include "running_task.hpp"
#include "shadow_table.hpp"

namespace foretask::tbb {
namespace {

// Tasks that were not recorded as members of a group of their creator's, by the context that a wait for them names. A
// program that opens a group, calls itself and then waits has one a call. Any thread; a lock for the contexts of a
// shard.
class LooseTasks {
 public:
  // Of no context: nobody waits for it.
  void add(const Context* context, std::uint64_t name);
  // Takes out those of the context: a wait for them is over, or the context is a new one at an old one's place.
  [[nodiscard]] std::vector<std::uint64_t> take(const Context* context);

  // Whether there may be anything to take of the context.
  [[nodiscard]] bool has_any(const Context* context) noexcept {
    return shard_of(context).contexts.load(std::memory_order_relaxed) != 0;
  }

 private:
  static constexpr unsigned kShardBits = 8;
  struct alignas(64) Shard {
    std::atomic<std::size_t> contexts{0};  // that have some
    std::mutex mutex;
    std::unordered_map<const Context*, std::vector<std::uint64_t>> names;
  };

  // Contexts lie on stacks, at any multiple of 64 bytes: Fibonacci hashing.
  [[nodiscard]] Shard& shard_of(const Context* context) noexcept {
    const std::uint64_t hash = reinterpret_cast<std::uintptr_t>(context) / 64 * 11400714819323198485U;
    return shards_[hash >> (64 - kShardBits)];
  }

  std::array<Shard, 1U << kShardBits> shards_;
};

void LooseTasks::add(const Context* context, std::uint64_t name) {
  if (!context || name == 0) return;
  Shard& shard = shard_of(context);
  const std::lock_guard lock(shard.mutex);
  shard.names[context].push_back(name);
  shard.contexts.store(shard.names.size(), std::memory_order_relaxed);
}

std::vector<std::uint64_t> LooseTasks::take(const Context* context) {
  Shard& shard = shard_of(context);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.names.find(context);
  if (found == shard.names.end()) return {};
  std::vector<std::uint64_t> taken = std::move(found->second);
  shard.names.erase(found);
  shard.contexts.store(shard.names.size(), std::memory_order_relaxed);
  return taken;
}

LooseTasks& loose_tasks() {
  static auto* const tasks = new LooseTasks;  // libtbb's threads may outlive the program's end
  return *tasks;
}

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
  // A task that is only counted has no id in the recording.
  return name >> 32 != 0 && (name & FORETASK_ID_COUNTED) == 0 ? name : 0;
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
  if (after != 0 && !is_member) hook::Dependences(thread.stream).add(after, FORETASK_DEPENDENCE_AFTER);
  if (!is_member) loose_tasks().add(context, name);
  put_name(task, *shadow, name, kernel.marks() | (is_member ? 0 : kIsLoose));
}

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
  foretask_record_group_begin(thread.stream);
  create(thread, task, context, true, 0);
}

[[gnu::noinline]] void create_slow(RecordedThread& thread, Task& task, Context* context, std::uint64_t after) {
  bool is_member = context && thread.top->joined == context;
  if (context && may_begin_group(thread, *context) && claim(*context, thread)) {
    thread.top->set_group(context);
    foretask_record_group_begin(thread.stream);
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
  foretask_record_wait_end(stream, FORETASK_EVENT_GROUP_END, 0);
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
    if (!root) foretask_record_group_begin(thread->stream);
    // Another task has spawned what this one waits for. An algorithm's own wait within one for the same context is for
    // its own tasks.
    if (!has_claimed_ && !root) owner_ = owner_of(context);
  }
  if (root && (is_shadowed(*root) || !try_create(*thread, *root, !has_group))) {
    if (!has_group) foretask_record_group_begin(thread->stream);
    create(*thread, *root, &context, true, 0);
  }
  frame.set_runs(false);
  foretask_record_wait_begin(thread->stream, FORETASK_EVENT_GROUP_WAIT);
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
  if (owner_ != 0 || (has_claimed_ && loose_tasks().has_any(&context_))) [[unlikely]]
    end_group_and_join(thread->stream, has_claimed_ ? &context_ : nullptr, owner_);
  else
    foretask_record_wait_end(thread->stream, FORETASK_EVENT_GROUP_END, 0);
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
  const std::uint64_t wait = foretask_record_depend_wait_begin(stream, nullptr, FORETASK_TASK_ONE_ORDER);
  hook::Dependences(stream).add({names, count}, kind);
  return wait;
}

void record_join(foretask_stream* stream, const std::uint64_t* names, std::uint32_t count, std::uint32_t kind) {
  if (count == 0) return;
  foretask_record_depend_wait_end(stream, begin_join(stream, names, count, kind), 0);
}

}  // namespace foretask::tbb
