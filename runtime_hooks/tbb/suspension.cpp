// SPDX-License-Identifier: Apache-2.0
#include "suspension.hpp"

#include <mutex>
#include <unordered_map>

#include "recorder.hpp"

namespace foretask::tbb {
namespace {

// What is suspended, by where it can be resumed.
struct Suspended {
  std::mutex mutex;
  std::unordered_map<const SuspendPoint*, std::uint64_t> events;
};

Suspended& suspended() {
  static auto* const all = new Suspended;  // libtbb's threads may outlive the program's end
  return *all;
}

}  // namespace

Suspension::Suspension(RecordedThread* thread, SuspendCallback callback, void* user)
    : callback_(callback), user_(user) {
  if (!thread || !thread->top->runs) return;
  frame_ = thread->top;
  note_moves();
  foretask_stream* const stream = thread->stream;
  event_ = foretask_record_task_create(stream, nullptr, FORETASK_TASK_EMPTY | FORETASK_TASK_LOOSE);
  foretask_counters_pause(stream);
  wait_ = begin_join(stream, &event_, 1);
  frame_->set_runs(false);
  thread->top = thread->below();
}

Suspension::~Suspension() {
  if (!frame_) return;
  RecordedThread* const thread = running_thread();
  if (!thread) return;
  go_on(*thread, *frame_);
  frame_->set_runs(true);
  foretask_counters_resume(thread->stream, frame_->name);
  foretask_record_named_(thread->stream, FORETASK_EVENT_DEPEND_WAIT_END, wait_);
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
  foretask_record_named_(thread.stream, FORETASK_EVENT_TASK_FULFILL, event);
}

}  // namespace foretask::tbb
