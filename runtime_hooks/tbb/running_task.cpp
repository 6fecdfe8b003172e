// SPDX-License-Identifier: Apache-2.0
#include "running_task.hpp"

#include "followed_task.hpp"
#include "foretask/task_hook.hpp"
#include "kit/handover.hpp"
#include "loop_part.hpp"
#include "shadow_table.hpp"

namespace foretask::tbb {
namespace {

// The running task is a frame of the thread, from the constructor to the destructor, which an exception may call, on
// another thread perhaps.
class Running {
 public:
  Running(RecordedThread& thread, std::uint64_t name, const Context* context, bool is_loose) {
    frame_.outer = thread.top;
    frame_.name = name;
    frame_.context = context;
    frame_.is_loose = is_loose;
    frame_.joined = is_loose ? nullptr : context;
    thread.top = &frame_;
    foretask_record_task_switch(thread.stream, name);
  }
  [[gnu::noinline]] ~Running() {
    asm volatile("");  // as in thread_now()
    RecordedThread* const thread = thread_here();
    if (!thread) return;
    thread->top = moves() ? thread->below() : frame_.outer;
    if (has_iterations_)
      foretask_record_task_end_with(thread->stream, 0, iterations_);
    else
      foretask_record_task_end(thread->stream, 0);
  }
  void begin_part(LoopPart& part) noexcept { frame_.part = &part; }
  void end_part(const LoopPart& part) noexcept {
    frame_.part = nullptr;
    has_iterations_ = true;
    iterations_ = part.iterations();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  Frame frame_;
  bool has_iterations_ = false;
  double iterations_ = 0;
};

// Takes the name off the task: what libtbb calls again is not the same task anew, unless it is created anew.
std::uint64_t take_name(Task& task) noexcept {
  const std::uint64_t name = task.reserved[kName];
  task.reserved[kName] = 0;
  return name;
}

// An arena's call is over, perhaps by an exception, and its caller goes on.
class CallEnd {
 public:
  explicit CallEnd(const ArenaCall* call) noexcept : call_(call) {}
  ~CallEnd() { handed_over(call_); }
  CallEnd(const CallEnd&) = delete;
  CallEnd& operator=(const CallEnd&) = delete;

 private:
  const ArenaCall* call_;
};

// The task may be gone when the program's function returns, and who waits for its context goes on. What the function
// returns is a new task, or the same one anew.
Task* call(TaskFunction function, Task* task, ExecutionData* data) {
  handed_over(task);
  handed_over(data->context);
  Task* const next = function(task, data);
  taken_over(next);
  return next;
}

// One that is left by an exception has run an unknown part.
Task* run_part(Running& running, TaskFunction execute, Task* task, ExecutionData* data) {
  LoopPart part(*task);
  running.begin_part(part);
  Task* const next = call(execute, task, data);
  running.end_part(part);
  if (is_followed()) [[unlikely]]
    foretask_hook_set_parameter(0, part.iterations());
  return next;
}

Task* record_execute(Task* task, ExecutionData* data) {
  const TaskFunction execute = Shadow::of(*task).execute();
  const std::uint64_t name = take_name(*task);
  RecordedThread* const thread = name != 0 ? running_thread() : nullptr;
  if (!thread) return call(execute, task, data);
  Context* const context = data->context;
  const std::uint64_t marks = task->reserved[kMarks];
  Running running(*thread, name, context, (marks & kIsLoose) != 0);
  Task* const next =
      (marks & kCountsIterations) == 0 ? call(execute, task, data) : run_part(running, execute, task, data);
  if (next)
    if (RecordedThread* const now = thread_now()) record_creation(*now, *next, context);
  return next;
}

Task* record_cancel(Task* task, ExecutionData* data) {
  const TaskFunction cancel = Shadow::of(*task).cancel();
  const std::uint64_t name = take_name(*task);
  RecordedThread* const thread = name != 0 ? running_thread() : nullptr;
  if (thread) foretask_record_task_cancel(thread->stream, name, 0);
  Context* const context = data->context;
  Task* const next = call(cancel, task, data);
  if (next && thread)
    if (RecordedThread* const now = thread_now()) record_creation_after(*now, *next, context, name);
  return next;
}

}  // namespace

Task* run_execute(Task* task, ExecutionData* data) {
  taken_over(task);
  Task* const next = is_followed() ? follow_execute(task, data, record_execute) : record_execute(task, data);
  handed_over(next);
  return next;
}

Task* run_cancel(Task* task, ExecutionData* data) {
  taken_over(task);
  Task* const next = is_followed() ? follow_cancel(task, data, record_cancel) : record_cancel(task, data);
  handed_over(next);
  return next;
}

ArenaCall::ArenaCall(RecordedThread& thread, Delegate& called) : called_(called), frame_(thread.top) {
  if (frame_->runs) begin_wait(thread.stream);
  handed_over(this);
}

ArenaCall::~ArenaCall() {
  taken_over(this);
  RecordedThread* const thread = moves() ? running_thread() : thread_now();
  if (!thread) return;
  if (moves()) [[unlikely]]
    go_on(*thread, *frame_);
  if (wait_ != 0) end_wait(thread->stream);
  if (task_ != 0) record_join(thread->stream, &task_, 1);
}

void ArenaCall::begin_wait(foretask_stream* stream) {
  cause_ = foretask_record_task_create(stream, nullptr, FORETASK_TASK_EMPTY | FORETASK_TASK_LOOSE);
  foretask_record_task_fulfill(stream, cause_);
  wait_ = begin_join(stream, &cause_, 1);
  frame_->set_runs(false);
}

void ArenaCall::end_wait(foretask_stream* stream) const {
  foretask_record_depend_wait_end(stream, wait_, 0);
  wait_ = 0;
  frame_->set_runs(true);
}

bool ArenaCall::operator()() const {
  taken_over(this);
  const CallEnd end(this);
  RecordedThread* const thread = running_thread();
  if (!thread || cause_ == 0) return called_();
  if (thread->top == frame_) {
    end_wait(thread->stream);
    return called_();
  }
  const void* const code = kit::code_of(**reinterpret_cast<void***>(&called_));  // the class's function that is called
  task_ = foretask_record_task_create(thread->stream, code,
                                      FORETASK_TASK_ONE_ORDER | FORETASK_TASK_LOOSE | FORETASK_TASK_HAS_DEPENDENCES);
  hook::Dependences(thread->stream).add(cause_, FORETASK_DEPENDENCE_AFTER);
  const Running running(*thread, task_, nullptr, false);
  return called_();
}

}  // namespace foretask::tbb
