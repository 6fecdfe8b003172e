// SPDX-License-Identifier: Apache-2.0
// HOT: GOMP_task. libgomp copies the program's data into a block of its own and gives that to the body: a header of
// ours goes before them.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "created_tasks.hpp"
#include "detached_tasks.hpp"
#include "kit/handover.hpp"
#include "libgomp.hpp"
#include "task_run.hpp"
#include "thread.hpp"

using namespace foretask::gomp;
using foretask::handed_over;
using foretask::taken_over;

FORETASK_ENTRY bool GOMP_cancellation_point(int which);
FORETASK_ENTRY void GOMP_task(Body body, void* data, Copy copy, long bytes, long align, bool if_clause, unsigned flags,
                              void** depend, int priority, void* detach);

namespace {

// Passed from a task to those that it makes, if the program may cancel.
struct Scope {
  TaskGroup* group;
  const void* team;
  bool is_discardable;  // libgomp would discard it if its group or team is cancelled
};

Scope scope_of(const Thread& thread, const Copy copy) {
  return {thread.current->group, thread.current->team, has_cancellation && copy == nullptr};
}

// As libgomp would ask itself before it runs a task. It discards none that has a copy function.
bool is_discarded(const Scope& scope) {
  return scope.is_discardable && FORETASK_NEXT(GOMP_cancellation_point)(kCancelTaskgroup);
}

// libgomp copies a task that it runs at once onto the stack of its creator, and discards none of these.
[[gnu::always_inline]] inline void keep_if_on_stack(Scope& scope, const void* copied, const void* creators_frame) {
  if (copied > __builtin_frame_address(0) && copied < creators_frame) scope.is_discardable = false;
}

// A task without clauses that say how it is run.
struct SmallHead {
  Body body;
  ompt_data_t data;
};
// The same where there is cancellation.
struct alignas(16) CancellableHead : SmallHead {
  Scope scope;
};
constexpr long kMostSmallBytes = 256;
constexpr long kSmallAlign = sizeof(SmallHead);

template <typename Head>
struct SmallCall {
  Head head;
  const void* from;
  long bytes;
  bool is_copied;  // libgomp has made the task
};

template <typename Head>
constexpr bool kIsCancellable = std::is_same_v<Head, CancellableHead>;

template <typename Head>
void run_small(void* block) {
  taken_over(block);  // from copy_small()
  auto* const head = static_cast<Head*>(block);
  Thread& thread = *enter_as_worker();
  RunningTask task;
  task.data = &head->data;
  if constexpr (kIsCancellable<Head>) {
    if (__builtin_expect(is_discarded(head->scope), 0)) return tell_discarded(thread, head->data);
    task.group = head->scope.group;
    task.team = head->scope.team;
  }
  run_task(thread, task, head->body, head + 1);
  if constexpr (kIsCancellable<Head>) forget_loose_loops(task);
}

// Straight into libgomp's block, in words: what was stored just now in bytes would be waited for.
template <typename Head>
void copy_small(void* to, void* from) {
  auto* const call = static_cast<SmallCall<Head>*>(from);
  auto* const head = static_cast<Head*>(to);
  *head = call->head;
  if constexpr (kIsCancellable<Head>) {
    call->is_copied = true;
    keep_if_on_stack(head->scope, to, from);
  }
  auto* at = reinterpret_cast<unsigned char*>(head + 1);
  const auto* source = static_cast<const unsigned char*>(call->from);
  long left = call->bytes;
  for (; left >= 8; left -= 8, at += 8, source += 8) std::memcpy(at, source, 8);
  for (; left > 0; --left) *at++ = *source++;
  handed_over(to);
}

template <typename Head, typename Real>
[[gnu::always_inline]] inline void create_small(Thread& thread, Real real, const void* code, Body body, void* data,
                                                long bytes, long align, unsigned flags, int priority) {
  SmallCall<Head> call;
  call.head.body = body;
  if constexpr (kIsCancellable<Head>) {
    call.head.scope = scope_of(thread, nullptr);
    call.is_copied = false;
  }
  call.from = data;
  call.bytes = bytes;
  if (__builtin_expect(records_alone, 1)) {
    call.head.data.value = foretask_record_task_create(foretask::ompt::thread_stream, code, 0);
  } else {
    tell_creation(thread, call.head.data, ompt_task_explicit, false, code);
  }
  constexpr long kAlign = alignof(Head);
  real(run_small<Head>, &call, copy_small<Head>, static_cast<long>(sizeof(Head)) + bytes,
       align < kAlign ? kAlign : align, true, flags, nullptr, priority, nullptr);
  // Its group or team was cancelled before.
  if constexpr (kIsCancellable<Head>)
    if (__builtin_expect(!call.is_copied, 0)) tell_discarded(thread, call.head.data);
}

// Data beyond this many bytes are kept in a block of ours, which libgomp need not copy.
constexpr long kMostNearBytes = 256;

// Any other. libgomp writes the event of a detached task into the first word.
struct Head {
  void* event;
  Body body;
  ompt_data_t data;
  std::int32_t offset;  // of the program's data, where they follow
  Made made;
  Scope scope;
  void* far;  // the program's data, where they do not follow
  DetachedTask* detached;
};

struct Call {
  Head head;
  void* data;
  Copy copy;
  long bytes;
  bool is_copied;  // libgomp has made the task
};

void run_body(Thread& thread, RunningTask& task, const Head& head, void* data) {
  DetachedTask* const detached = head.detached;
  if (detached == nullptr) return run_task(thread, task, head.body, data);
  task.data = &detached->data();
  std::memcpy(data, &head.event, sizeof head.event);
  detached->name_event(head.event);
  RunningTask* const below = thread.current;
  begin_task(thread, task);
  head.body(data);
  thread.current = below;
  detached->end_body(below->data);
}

void discard(const Thread& thread, const Head& head) {
  DetachedTask* const detached = head.detached;
  tell_discarded(thread, detached != nullptr ? detached->data() : head.data);
  if (detached != nullptr) detached->discard(head.event);
}

void run_any(void* block) {
  taken_over(block);  // from copy_any()
  auto* const head = static_cast<Head*>(block);
  Thread& thread = *enter_as_worker();
  taken_over(head->detached);  // from create_any()
  void* const far = head->far;
  if (is_discarded(head->scope)) {
    discard(thread, *head);
  } else {
    RunningTask task;
    task.data = &head->data;
    task.made = head->made;
    task.group = head->scope.group;
    task.team = head->scope.team;
    run_body(thread, task, *head, far != nullptr ? far : static_cast<char*>(block) + head->offset);
    forget_loose_loops(task);
  }
  std::free(far);
}

void copy_any(void* to, void* from) {
  auto* const call = static_cast<Call*>(from);
  auto* const head = static_cast<Head*>(to);
  *head = call->head;
  call->is_copied = true;
  keep_if_on_stack(head->scope, to, from);
  void* const data = static_cast<char*>(to) + head->offset;
  if (call->copy != nullptr) {
    // The program's own copy function finds the event where libgomp would have put it.
    if (head->detached != nullptr) std::memcpy(call->data, &head->event, sizeof(void*));
    call->copy(data, call->data);
  } else if (head->far == nullptr && call->bytes > 0) {
    std::memcpy(data, call->data, static_cast<std::size_t>(call->bytes));
  }
  handed_over(to);
}

long round_up(long bytes, long align) { return (bytes + align - 1) / align * align; }

// Null: there is no memory.
void* copy_far(const void* data, long bytes, long align) {
  void* const far =
      std::aligned_alloc(static_cast<std::size_t>(align), static_cast<std::size_t>(round_up(bytes, align)));
  if (far != nullptr) std::memcpy(far, data, static_cast<std::size_t>(bytes));
  return far;
}

// Out of line: the common task needs none of its frame.
template <typename Real>
[[gnu::noinline]] void create_any(Thread& thread, Real real, const void* code, Body body, void* data, Copy copy,
                                  long bytes, long align, bool if_clause, unsigned flags, void** depend, int priority,
                                  void* detach) {
  const bool has_dependences = (flags & kDepend) != 0;
  const bool is_far = copy == nullptr && bytes > kMostNearBytes;
  const long own_align = align < 8 ? 8 : align;
  const int words = creation_flags(thread, if_clause, flags);
  Call call{};
  Head& head = call.head;
  head.body = body;
  head.offset = static_cast<std::int32_t>(round_up(sizeof(Head), own_align));
  head.made = made_by(thread, words);
  head.scope = scope_of(thread, copy);
  call.data = data;
  call.copy = copy;
  call.bytes = bytes;
  if (is_far) head.far = copy_far(data, bytes, own_align);
  if ((flags & kDetach) != 0) head.detached = DetachedTask::make();
  if ((is_far && head.far == nullptr) || ((flags & kDetach) != 0 && head.detached == nullptr)) {
    std::free(head.far);  // no memory: libgomp will say so as well
    return real(body, data, copy, bytes, align, if_clause, flags, depend, priority, detach);
  }
  tell_creation(thread, head.data, words, has_dependences, code);
  if (has_dependences) tell_dependences(head.data, depend);
  if (head.detached != nullptr) head.detached->data() = head.data;
  // The body may free `detached` before libgomp returns.
  DetachedTask* const detached = head.detached;
  handed_over(detached);
  real(run_any, &call, copy_any, is_far ? static_cast<long>(sizeof(Head)) : head.offset + bytes, own_align, if_clause,
       flags, depend, priority, detach);
  if (__builtin_expect(!call.is_copied, 0)) {
    // Its group or team was cancelled before.
    tell_discarded(thread, head.data);
    std::free(head.far);
    delete detached;
  } else if (detached != nullptr) {
    void* event = nullptr;
    std::memcpy(&event, detach, sizeof event);
    detached->name_event(event);
    detached->give_up();
  }
}

[[gnu::always_inline]] inline void create(const void* code, Body body, void* data, Copy copy, long bytes, long align,
                                          bool if_clause, unsigned flags, void** depend, int priority, void* detach) {
  const auto real = FORETASK_NEXT(GOMP_task);
  Thread* const thread = enter();
  if (thread == nullptr) return real(body, data, copy, bytes, align, if_clause, flags, depend, priority, detach);
  if (__builtin_expect((flags & ~(kMergeable | kPriority)) == 0 && if_clause && copy == nullptr &&
                           thread->current->made == Made::kDeferred && align <= kSmallAlign && bytes <= kMostSmallBytes,
                       1)) {
    if (!has_cancellation)
      return create_small<SmallHead>(*thread, real, code, body, data, bytes, align, flags, priority);
    return create_small<CancellableHead>(*thread, real, code, body, data, bytes, align, flags, priority);
  }
  create_any(*thread, real, code, body, data, copy, bytes, align, if_clause, flags, depend, priority, detach);
}

}  // namespace

FORETASK_ENTRY void GOMP_task(Body body, void* data, Copy copy, long bytes, long align, bool if_clause, unsigned flags,
                              void** depend, int priority, void* detach) {
  create(code_of(body), body, data, copy, bytes, align, if_clause, flags, depend, priority, detach);
}

// The same of the code at `code`, which libforetask_tune has put another function before.
FORETASK_ENTRY void foretask_gomp_task(const void* code, Body body, void* data, Copy copy, long bytes, long align,
                                       bool if_clause, unsigned flags, void** depend, int priority, void* detach) {
  create(code, body, data, copy, bytes, align, if_clause, flags, depend, priority, detach);
}
