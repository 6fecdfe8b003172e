// SPDX-License-Identifier: Apache-2.0
// HOT: GOMP_task. libgomp copies the program's data into a block of its own and gives that to the body: a header of
// ours goes before them.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "created_tasks.hpp"
#include "dependences.hpp"
#include "detached_tasks.hpp"
#include "handover.hpp"
#include "libgomp.hpp"
#include "task_run.hpp"
#include "thread.hpp"

using namespace foretask::gomp;
using foretask::handed_over;
using foretask::taken_over;

namespace {

// A task without clauses that say how it is run.
struct SmallHead {
  Body body;
  ompt_data_t data;
};
constexpr long kMostSmallBytes = 256;
constexpr long kSmallAlign = sizeof(SmallHead);

struct SmallCall {
  SmallHead head;
  const void* from;
  long bytes;
};

void run_small(void* block) {
  taken_over(block);  // from copy_small()
  auto* const head = static_cast<SmallHead*>(block);
  Thread& thread = *enter_as_worker();
  RunningTask task;
  task.data = &head->data;
  run_task(thread, task, head->body, head + 1);
}

// Straight into libgomp's block, in words: what was stored just now in bytes would be waited for.
void copy_small(void* to, void* from) {
  const auto* const call = static_cast<const SmallCall*>(from);
  auto* const head = static_cast<SmallHead*>(to);
  *head = call->head;
  auto* at = reinterpret_cast<unsigned char*>(head + 1);
  const auto* source = static_cast<const unsigned char*>(call->from);
  long left = call->bytes;
  for (; left >= 8; left -= 8, at += 8, source += 8) std::memcpy(at, source, 8);
  for (; left > 0; --left) *at++ = *source++;
  handed_over(to);
}

// Any other. libgomp writes the event of a detached task into the first word.
struct Head {
  void* event;
  Body body;
  ompt_data_t data;
  std::int32_t offset;  // of the program's data
  Made made;
  CreatedTasks* created;
  DetachedTask* detached;
};

struct Call {
  Head head;
  void* data;
  Copy copy;
};

void run_any(void* block) {
  taken_over(block);  // from copy_any()
  auto* const head = static_cast<Head*>(block);
  void* const data = static_cast<char*>(block) + head->offset;
  Thread& thread = *enter_as_worker();
  RunningTask task;
  task.data = &head->data;
  task.made = head->made;
  CreatedTasks* const created = head->created;
  DetachedTask* const detached = head->detached;
  if (created != nullptr) {
    created->begin(0);
    task.group = created->group();
    task.team = created->team();
  }
  if (detached == nullptr) {
    run_task(thread, task, head->body, data);
  } else {
    taken_over(detached);  // from create_any()
    task.data = &detached->data();
    std::memcpy(data, &head->event, sizeof head->event);
    detached->name_event(head->event);
    RunningTask* const below = thread.current;
    begin_task(thread, task);
    head->body(data);
    thread.current = below;
    detached->end_body(below->data);
  }
  if (created != nullptr) created->end();
}

void copy_any(void* to, void* from) {
  auto* const call = static_cast<Call*>(from);
  *static_cast<Head*>(to) = call->head;
  // The program's own copy function finds the event where libgomp would have put it.
  if (call->head.detached != nullptr) std::memcpy(call->data, &call->head.event, sizeof(void*));
  call->copy(static_cast<char*>(to) + call->head.offset, call->data);
  handed_over(to);
}

std::int64_t round_up(std::int64_t bytes, std::int64_t align) { return (bytes + align - 1) / align * align; }

// The head and the program's data one after the other, as libgomp is to copy them.
class Block {
 public:
  Block(const Head& head, const void* data, long bytes, long align) {
    const std::int64_t all = round_up(head.offset + bytes, align);
    if (all > static_cast<std::int64_t>(sizeof near_) || align > static_cast<long>(alignof(Block)))
      far_ = std::aligned_alloc(static_cast<std::size_t>(align < 16 ? 16 : align),
                                static_cast<std::size_t>(round_up(all, align < 16 ? 16 : align)));
    start_ = far_ != nullptr ? static_cast<unsigned char*>(far_) : near_;
    is_there_ = far_ != nullptr || all <= static_cast<std::int64_t>(sizeof near_);
    if (!is_there_) return;
    std::memcpy(start_, &head, sizeof head);
    if (bytes > 0) std::memcpy(start_ + head.offset, data, static_cast<std::size_t>(bytes));
  }
  ~Block() { std::free(far_); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // Null: there is no memory.
  [[nodiscard]] void* get() { return is_there_ ? start_ : nullptr; }

 private:
  alignas(64) unsigned char near_[256];
  void* far_ = nullptr;
  unsigned char* start_ = nullptr;
  bool is_there_ = false;
};

// Out of line: the common task needs none of its frame.
template <typename Real>
[[gnu::noinline]] void create_any(Thread& thread, Real real, const void* code, Body body, void* data, Copy copy,
                                  long bytes, long align, bool if_clause, unsigned flags, void** depend, int priority,
                                  void* detach) {
  const bool is_detached = (flags & kDetach) != 0;
  const bool has_dependences = (flags & kDepend) != 0;
  const long own_align = align < 8 ? 8 : align;
  Call call{{nullptr,
             body,
             {},
             static_cast<std::int32_t>(round_up(sizeof(Head), own_align)),
             Made::kDeferred,
             nullptr,
             nullptr},
            data,
            copy};
  Head& head = call.head;
  const int words = creation_flags(thread, if_clause, flags);
  head.made = made_by(thread, words);
  if (is_detached) head.detached = DetachedTask::make();
  if (has_cancellation) head.created = CreatedTasks::make(1, thread);
  Block block(head, data, copy == nullptr ? bytes : 0, own_align);
  if ((is_detached && head.detached == nullptr) || block.get() == nullptr)  // no memory: libgomp will say so as well
    return real(body, data, copy, bytes, align, if_clause, flags, depend, priority, detach);
  tell_creation(thread, head.data, words, has_dependences, code);
  if (has_dependences) tell_dependences(head.data, depend);
  if (head.detached != nullptr) head.detached->data() = head.data;
  if (head.created != nullptr) {
    head.created->data(0) = head.data;
    head.created->publish();
  }
  std::memcpy(block.get(), &head, sizeof head);
  // libgomp may free `created` and the body `detached` before it returns.
  DetachedTask* const detached = head.detached;
  handed_over(detached);
  real(run_any, copy == nullptr ? block.get() : &call, copy == nullptr ? nullptr : copy_any, head.offset + bytes,
       own_align, if_clause, flags, depend, priority, detach);
  if (detached != nullptr) {
    void* event = nullptr;
    std::memcpy(&event, detach, sizeof event);
    detached->name_event(event);
    detached->give_up();
  }
}

}  // namespace

FORETASK_ENTRY void GOMP_task(Body body, void* data, Copy copy, long bytes, long align, bool if_clause, unsigned flags,
                              void** depend, int priority, void* detach) {
  const auto real = FORETASK_REAL(GOMP_task);
  Thread* const thread = enter();
  if (thread == nullptr) return real(body, data, copy, bytes, align, if_clause, flags, depend, priority, detach);
  const void* const code = __builtin_return_address(0);
  // A copy function keeps libgomp from discarding a task, so that none is added where tasks may be cancelled.
  if (__builtin_expect((flags & ~(kMergeable | kPriority)) == 0 && if_clause && copy == nullptr && !has_cancellation &&
                           thread->current->made == Made::kDeferred && align <= kSmallAlign && bytes <= kMostSmallBytes,
                       1)) {
    SmallCall call;
    call.head.body = body;
    call.from = data;
    call.bytes = bytes;
    if (__builtin_expect(records_alone, 1)) {
      foretask::ompt::record_task_create(call.head.data, code);
    } else {
      tell_creation(*thread, call.head.data, ompt_task_explicit, false, code);
    }
    return real(run_small, &call, copy_small, static_cast<long>(sizeof(SmallHead)) + bytes, align < 8 ? 8 : align, true,
                flags, depend, priority, detach);
  }
  create_any(*thread, real, code, body, data, copy, bytes, align, if_clause, flags, depend, priority, detach);
}
