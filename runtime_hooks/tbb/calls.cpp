// SPDX-License-Identifier: Apache-2.0
// The functions of libtbb that this library answers in front of it. libtbb calls its own by these names as well.
#include <mutex>
#include <unordered_map>

#include "abi.hpp"
#include "followed_task.hpp"
#include "kit/handover.hpp"
#include "recorder.hpp"
#include "running_task.hpp"

const char* const foretask::kit::runtime_files[] = {nullptr};  // the module that calls has one

// A task that gives up its thread (tbb::task::suspend), until somebody resumes it: on another thread perhaps. In the
// recording it waits for an empty task, which the one that resumes it fulfils.
namespace foretask::tbb {
namespace {

using SuspendPoint = ::tbb::detail::r1::suspend_point_type;
using SuspendCallback = void (*)(void*, SuspendPoint*);

// From the constructor to the destructor, on the stack of the task that is suspended.
class Suspension {
 public:
  // `callback` is told where the task can be resumed; it may be resumed before the callback returns.
  Suspension(RecordedThread* thread, SuspendCallback callback, void* user);
  ~Suspension();
  Suspension(const Suspension&) = delete;
  Suspension& operator=(const Suspension&) = delete;

  // The callback for libtbb, with a Suspension as its data.
  static void on_suspended(void* suspension, SuspendPoint* point);

 private:
  Frame* frame_ = nullptr;  // null: it is not recorded
  SuspendCallback callback_;
  void* user_;
  std::uint64_t event_ = 0;  // the empty task
  std::uint64_t wait_ = 0;
};

// What is suspended, by where it can be resumed.
struct Suspended {
  std::mutex mutex;
  std::unordered_map<const SuspendPoint*, std::uint64_t> events;
};

Suspended& suspended() {
  static auto* const all = new Suspended;  // libtbb's threads may outlive the program's end
  return *all;
}

Suspension::Suspension(RecordedThread* thread, SuspendCallback callback, void* user)
    : callback_(callback), user_(user) {
  if (!thread || !thread->top->runs) return;
  frame_ = thread->top;
  note_moves();
  foretask_stream* const stream = thread->stream;
  event_ = foretask_record_task_create(stream, nullptr, FORETASK_TASK_EMPTY | FORETASK_TASK_LOOSE);
  wait_ = begin_join(stream, &event_, 1);
  frame_->set_runs(false);
  thread->top = thread->below();
}

[[gnu::noinline]] Suspension::~Suspension() {
  asm volatile("");  // as in thread_now()
  if (!frame_) return;
  RecordedThread* const thread = running_thread();
  if (!thread) return;
  go_on(*thread, *frame_);
  frame_->set_runs(true);
  foretask_record_depend_wait_end(thread->stream, wait_, frame_->name);
}

void Suspension::on_suspended(void* suspension, SuspendPoint* point) {
  auto& self = *static_cast<Suspension*>(suspension);
  if (self.frame_) {
    Suspended& all = suspended();
    const std::lock_guard lock(all.mutex);
    all.events[point] = self.event_;
  }
  self.callback_(self.user_, point);
}

// The calling thread resumes the task that was suspended there.
void record_resume(RecordedThread& thread, const SuspendPoint* point) {
  std::uint64_t event = 0;
  {
    Suspended& all = suspended();
    const std::lock_guard lock(all.mutex);
    const auto found = all.events.find(point);
    if (found == all.events.end()) return;  // libtbb's own
    event = found->second;
    all.events.erase(found);
  }
  foretask_record_task_fulfill(thread.stream, event);
}

}  // namespace
}  // namespace foretask::tbb

namespace {

using foretask::handed_over;
using foretask::taken_over;
using namespace foretask::tbb;

void record_call(Task& created, Context* context, const void* caller) {
  taken_over(&created);  // from the last task in its memory
  if (RecordedThread* const thread = calling_thread(caller)) record_creation(*thread, created, context);
  if (is_followed()) [[unlikely]]
    follow_creation(created);
  handed_over(&created);
}

// An arena that has enqueued tasks gets a worker, whatever is allowed.
void record_enqueued(Task& created, Context* context, const void* caller) {
  if (calling_thread(caller)) note_threads(2);
  record_call(created, context, caller);
}

constinit NextFunction<void(Task&, Context&)> next_spawn(
    "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE");
constinit NextFunction<void(Task&, Context&, unsigned short)> next_spawn_at(
    "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextEt");
constinit NextFunction<void(Task&, Context&, tbb::detail::r1::arena*, unsigned long)> next_submit(
    "_ZN3tbb6detail2r16submitERNS0_2d14taskERNS2_18task_group_contextEPNS1_5arenaEm");
constinit NextFunction<void(Task&, Arena*)> next_enqueue(
    "_ZN3tbb6detail2r17enqueueERNS0_2d14taskEPNS2_15task_arena_baseE");
constinit NextFunction<void(Task&, Context&, Arena*)> next_enqueue_in(
    "_ZN3tbb6detail2r17enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_baseE");
constinit NextFunction<void(Task&, Context&, WaitContext&, Context&)> next_execute_and_wait(
    "_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_");
constinit NextFunction<void(WaitContext&, Context&)> next_wait(
    "_ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE");
constinit NextFunction<void(Context&)> next_initialize("_ZN3tbb6detail2r110initializeERNS0_2d118task_group_contextE");
constinit NextFunction<bool(Context&)> next_cancel(
    "_ZN3tbb6detail2r122cancel_group_executionERNS0_2d118task_group_contextE");
constinit NextFunction<void(Arena&, Delegate&)> next_execute(
    "_ZN3tbb6detail2r17executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE");
constinit NextFunction<void(SuspendCallback, void*)> next_suspend(
    "_ZN3tbb6detail2r17suspendEPFvPvPNS1_18suspend_point_typeEES2_");
constinit NextFunction<void(tbb::detail::r1::suspend_point_type*)> next_resume(
    "_ZN3tbb6detail2r16resumeEPNS1_18suspend_point_typeE");

// The process may end at any time. Before libforetask's own end: this library needs that one.
__attribute__((destructor)) void end_process() { end_program(); }

}  // namespace

// For the hook of libgomp, whose part of a recording is around this one's: the two libraries may end in either order.
extern "C" FORETASK_API void foretask_tbb_end() { end_program(); }

#define FORETASK_CALLER __builtin_return_address(0)

namespace tbb::detail::r1 {

FORETASK_API void spawn(d1::task& t, d1::task_group_context& context) {
  record_call(t, &context, FORETASK_CALLER);
  next_spawn.get(FORETASK_CALLER)(t, context);
}

FORETASK_API void spawn(d1::task& t, d1::task_group_context& context, unsigned short slot) {
  record_call(t, &context, FORETASK_CALLER);
  next_spawn_at.get(FORETASK_CALLER)(t, context, slot);
}

FORETASK_API void submit(d1::task& t, d1::task_group_context& context, arena* where, unsigned long as_critical) {
  record_call(t, &context, FORETASK_CALLER);
  next_submit.get(FORETASK_CALLER)(t, context, where, as_critical);
}

FORETASK_API void enqueue(d1::task& t, d1::task_arena_base* where) {
  record_enqueued(t, nullptr, FORETASK_CALLER);
  next_enqueue.get(FORETASK_CALLER)(t, where);
}

FORETASK_API void enqueue(d1::task& t, d1::task_group_context& context, d1::task_arena_base* where) {
  record_enqueued(t, &context, FORETASK_CALLER);
  next_enqueue_in.get(FORETASK_CALLER)(t, context, where);
}

FORETASK_API void execute_and_wait(d1::task& t, d1::task_group_context& context, d1::wait_context& counter,
                                   d1::task_group_context& waited) {
  taken_over(&t);  // as in record_call()
  const ContextWait wait(calling_thread(FORETASK_CALLER), context, &t);
  if (is_followed()) [[unlikely]]
    follow_creation(t, true);
  handed_over(&t);
  call_followed(FollowedCall::Kind::kWaits,
                [&, caller = FORETASK_CALLER] { next_execute_and_wait.get(caller)(t, context, counter, waited); });
}

FORETASK_API void wait(d1::wait_context& counter, d1::task_group_context& context) {
  const ContextWait wait(calling_thread(FORETASK_CALLER), context, nullptr);
  call_followed(FollowedCall::Kind::kWaits, [&, caller = FORETASK_CALLER] { next_wait.get(caller)(counter, context); });
}

FORETASK_API void initialize(d1::task_group_context& context) {
  record_context(context);
  next_initialize.get(FORETASK_CALLER)(context);
}

FORETASK_API bool cancel_group_execution(d1::task_group_context& context) {
  const bool is_first = next_cancel.get(FORETASK_CALLER)(context);
  if (is_first)
    if (const RecordedThread* const thread = calling_thread(FORETASK_CALLER)) record_cancellation(*thread, context);
  return is_first;
}

FORETASK_API void execute(d1::task_arena_base& where, d1::delegate_base& called) {
  RecordedThread* const thread = calling_thread(FORETASK_CALLER);
  call_followed(FollowedCall::Kind::kRuns, [&, caller = FORETASK_CALLER] {
    if (!thread) return next_execute.get(caller)(where, called);
    note_arena(&where, caller);
    ArenaCall call(*thread, called);
    next_execute.get(caller)(where, call);
  });
}

FORETASK_API void suspend(SuspendCallback callback, void* user) {
  Suspension suspension(calling_thread(FORETASK_CALLER), callback, user);
  call_followed(FollowedCall::Kind::kWaits,
                [&, caller = FORETASK_CALLER] { next_suspend.get(caller)(Suspension::on_suspended, &suspension); });
}

FORETASK_API void resume(suspend_point_type* point) {
  if (RecordedThread* const thread = calling_thread(FORETASK_CALLER)) record_resume(*thread, point);
  next_resume.get(FORETASK_CALLER)(point);
}

}  // namespace tbb::detail::r1
