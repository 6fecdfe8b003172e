// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/subtree_contraction.hpp"

#include <algorithm>
#include <atomic>

#include "trace/event_table.hpp"

namespace foretask::runtime {
namespace {

constexpr std::uint32_t kStampMask = FORETASK_COMPACT_TICKS - 1;
constexpr std::uint32_t kHeadWords = trace::kPayloadShapes[FORETASK_EVENT_SUBTREE].head_words;

std::uint32_t word_of(std::int64_t ticks) noexcept {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(ticks, 0, 0xffffffff));
}

}  // namespace

SubtreeContraction::SubtreeContraction(const Grain& grain, TaskKinds& kinds) noexcept
    : grain_(grain),
      kinds_(kinds),
      allowed_flags_(FORETASK_TASK_UNDEFERRED | FORETASK_TASK_FINAL | FORETASK_TASK_IF_CLAUSE |
                     (grain.has_untied ? FORETASK_TASK_UNTIED : 0)) {}

bool SubtreeContraction::is_candidate(const foretask_stream& stream, const foretask_started_task& started) noexcept {
  const std::uint32_t* const from = started.event;
  if (kinds_.is_stopped() || from < stream.packet || from >= stream.cursor) return false;
  if ((*(stream.cursor - 1) & 31) != FORETASK_EVENT_TASK_END) return false;
  const auto took = (static_cast<std::uint32_t>(stream.last_ticks) - (*from >> 5)) & kStampMask;
  // Each event has a word at least. The rest is left for what contraction itself takes.
  const std::int64_t least = took - (stream.cursor - from) * grain_.event_ticks;
  if (4 * least < 5 * kinds_.grain_ticks()) return true;
  kinds_.note_long(started.kind);
  return false;
}

void SubtreeContraction::contract(foretask_stream& stream, const foretask_started_task& started) noexcept {
  std::uint32_t* const from = started.event;
  const std::uint32_t last = *(stream.cursor - 1);
  const auto took = (static_cast<std::uint32_t>(stream.last_ticks) - (*from >> 5)) & kStampMask;
  const Reading reading = read(from, stream.cursor, started);
  if (reading == Reading::kIsForeign) keep_started();
  const std::int64_t ticks = own_ticks();
  if (reading == Reading::kIsWhole) note_part(stream, started, ticks);
  if (reading != Reading::kIsWhole || ticks >= kinds_.grain_ticks()) return kinds_.note_long(started.kind);
  note(started.kind, ticks, took);
  if (kernel_count_ == 0) return;
  // A process that is killed in between leaves a task that runs.
  foretask_event_publish_(&stream, from + 2);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::uint32_t* word = write(from + 2, stream.last_ticks);
  *word++ = last;
  stream.next_task = started.next_task;
  stream.code_high = started.code_high;
  foretask_event_publish_(&stream, word);
}

void SubtreeContraction::note(std::uint32_t kind, std::int64_t ticks, std::uint32_t took) noexcept {
  const std::uint32_t weight = kinds_.is_known(kind) ? TaskKinds::kOneNotedIn : 1;
  if (++since_noted_ < weight) return;
  since_noted_ = 0;
  kinds_.note(kind, ticks, tasks_[0].path, took, weight);
  if (counted_ == 0) note_kernels();
}

// Without what its events cost: three a task, two a first part, two a taskwait, three a taskgroup.
std::int64_t SubtreeContraction::own_ticks() const noexcept {
  std::int64_t ticks = in_no_task_;
  std::int64_t tasks = -std::int64_t{counted_};
  for (std::uint32_t kernel = 0; kernel <= kernel_count_; ++kernel) ticks += kernel_ticks_[kernel];
  for (std::uint32_t kernel = 0; kernel < kernel_count_; ++kernel) tasks += kernels_[kernel].tasks;
  return ticks - grain_.event_ticks * (3 * tasks + 2 * (std::int64_t{parts_} + waits_) + 3 * std::int64_t{groups_});
}

// How much of the task was in one that ran within it.
void SubtreeContraction::note_part(const foretask_stream& stream, const foretask_started_task& started,
                                   std::int64_t ticks) noexcept {
  const std::uint32_t whole = word_of(ticks);
  if (started.child != 0) kinds_.note_part(started.child, started.child_ticks, whole);
  foretask_started_task& around = started_[(stream.started_count - 1) % FORETASK_STARTED_TASKS];
  takes_next_child_ = !takes_next_child_;
  if (around.child != 0 && !takes_next_child_) return;
  around.child = started.kind / FORETASK_ID_LEVELS;
  around.child_ticks = whole;
}

// One event of a task is between tasks, and two are within some. Of a first part one is between.
void SubtreeContraction::note_kernels() const noexcept {
  std::int64_t tasks = 0;
  for (std::uint32_t kernel = 0; kernel < kernel_count_; ++kernel) {
    const std::int64_t count = kernels_[kernel].tasks;
    kinds_.note_tasks(reinterpret_cast<const void*>(kernels_[kernel].code),
                      kernel_ticks_[kernel + 1] - 2 * count * grain_.event_ticks, kernels_[kernel].tasks);
    tasks += count;
  }
  const std::int64_t events = tasks + parts_ + waits_ + groups_;
  kinds_.note_tasks(nullptr, in_no_task_ - events * grain_.event_ticks, static_cast<std::uint64_t>(tasks));
}

SubtreeContraction::Reading SubtreeContraction::read(const std::uint32_t* event, const std::uint32_t* end,
                                                     const foretask_started_task& root) noexcept {
  if ((*event & 31) != FORETASK_EVENT_TASK_SWITCH_OWN) return Reading::kIsForeign;
  tasks_[0] = {.creator = kNone, .kernel = kOfRoot, .has_begun = true};
  stack_[0] = 0;
  depth_ = 1;
  made_ = ended_ = kernel_count_ = running_ = waits_ = groups_ = parts_ = counted_ = 0;
  in_no_task_ = tool_ = 0;
  kernel_ticks_ = {};
  root_ = event[1];
  first_task_ = root.next_task;
  code_high_ = root.code_high;
  std::uint32_t at = *event >> 5;
  bool is_creation = false;  // the latest event, or the end of a first part
  for (const std::uint32_t* word = event + 2; word < end;) {
    std::uint32_t kind = *word & 31;
    std::uint32_t now = *word >> 5;
    const std::uint32_t* payload = word + 1;
    if (kind == FORETASK_EVENT_EXTENDED) {
      kind = word[1];
      if (!trace::needs_extended_header(kind)) return Reading::kIsForeign;  // after longer than a stamp can tell
      now = word[2] & kStampMask;
      payload = word + 4;
    }
    // Others may write into the file.
    if (kind >= FORETASK_EVENT_KINDS || payload > end) return Reading::kIsForeign;
    const std::uint32_t ticks = (now - at) & kStampMask;
    at = now;
    // A task that runs within its creation: that is the runtime's time until it begins.
    if (kind == FORETASK_EVENT_TASK_SWITCH_OWN && is_creation)
      in_no_task_ += ticks;
    else
      add_ticks(ticks);
    const std::uint32_t made_before = made_ + parts_;
    const Reading reading = read_event(kind, payload);
    is_creation = made_ + parts_ != made_before;
    if (reading == Reading::kIsWhole) return payload == end && made_ == ended_ ? reading : Reading::kIsOpen;
    if (reading != Reading::kGoesOn) return reading;
    word = payload + trace::kPayloadShapes[kind].size(payload);
  }
  return Reading::kIsOpen;
}

SubtreeContraction::Reading SubtreeContraction::read_event(std::uint32_t kind, const std::uint32_t* payload) noexcept {
  const auto code = [&] { return std::uint64_t{code_high_} << 32 | payload[0]; };
  switch (kind) {
    case FORETASK_EVENT_TASK_CREATE:
      return create(code(), 0);
    case FORETASK_EVENT_TASK_CREATE_FLAGGED:
      return (payload[1] & ~allowed_flags_) == 0 ? create(code(), payload[1]) : Reading::kIsForeign;
    case FORETASK_EVENT_TASK_CREATE_FAR:
      code_high_ = payload[1];
      return create(code(), 0);
    case FORETASK_EVENT_CODE_HIGH:
      code_high_ = payload[0];
      return Reading::kGoesOn;
    case FORETASK_EVENT_TASK_SWITCH_OWN:
      if (payload[0] - first_task_ < made_) return begin(payload[0] - first_task_ + 1);
      return payload[0] == root_ ? begin(0) : Reading::kIsForeign;
    case FORETASK_EVENT_TASK_END:
      return end();
    case FORETASK_EVENT_WAIT_BEGIN:
    case FORETASK_EVENT_GROUP_WAIT:
      ++(kind == FORETASK_EVENT_WAIT_BEGIN ? waits_ : groups_);
      return wait(kind == FORETASK_EVENT_GROUP_WAIT, true);
    case FORETASK_EVENT_WAIT_END:
    case FORETASK_EVENT_GROUP_END:
      return wait(kind == FORETASK_EVENT_GROUP_END, false);
    case FORETASK_EVENT_GROUP_BEGIN:
      ++tasks_[stack_[depth_ - 1]].groups;
      return Reading::kGoesOn;
    case FORETASK_EVENT_TOOL_TIME: {
      const auto ticks = static_cast<std::int64_t>(trace::u64_at(payload));
      add_ticks(-ticks);
      tool_ += ticks;
      return Reading::kGoesOn;
    }
    case FORETASK_EVENT_SUBTREE:
      return add_contracted(payload) ? Reading::kGoesOn : Reading::kIsForeign;
    default:
      return Reading::kIsForeign;
  }
}

void SubtreeContraction::add_ticks(std::int64_t ticks) noexcept {
  if (running_ == kNone) {
    in_no_task_ += ticks;
    return;
  }
  Task& task = tasks_[running_];
  kernel_ticks_[task.kernel] += ticks;
  task.path = word_of(task.path + ticks);
}

std::uint8_t SubtreeContraction::kernel_of(std::uint64_t code) noexcept {
  for (std::uint32_t i = 0; i < kernel_count_; ++i)
    if (kernels_[i].code == code) return static_cast<std::uint8_t>(i + 1);
  if (kernel_count_ == kMostKernels) return 0;
  kernels_[kernel_count_++] = {code, 0};
  return static_cast<std::uint8_t>(kernel_count_);
}

SubtreeContraction::Reading SubtreeContraction::create(std::uint64_t code, std::uint32_t flags) noexcept {
  const std::uint8_t kernel = kernel_of(code);
  if (running_ == kNone || made_ == kMostTasks || kernel == 0) return Reading::kIsForeign;
  ++kernels_[kernel - 1].tasks;
  Task& creator = tasks_[running_];
  ++creator.live;
  // A team of one thread says 'undeferred' of all of its tasks.
  const bool is_final = (flags & FORETASK_TASK_FINAL) != 0;
  const bool is_at_once = (flags & FORETASK_TASK_IF_CLAUSE) != 0 || (is_final && creator.is_final);
  tasks_[++made_] = {.creator = running_,
                     .path = creator.path,
                     .began_at = creator.path,
                     .kernel = kernel,
                     .is_at_once = is_at_once,
                     .is_final = is_final};
  return Reading::kGoesOn;
}

// An untied task of LLVM's has begun, has done nothing, and the one below it goes on.
bool SubtreeContraction::is_end_of_first_part(std::uint32_t task) const noexcept {
  if (depth_ < 2 || stack_[depth_ - 2] != task) return false;
  const Task& top = tasks_[stack_[depth_ - 1]];
  return !top.waits && top.groups == 0 && top.live == 0 && top.children == 0;
}

SubtreeContraction::Reading SubtreeContraction::begin(std::uint32_t task) noexcept {
  if (is_end_of_first_part(task)) {
    tasks_[stack_[--depth_]].has_begun = false;
    ++parts_;
    running_ = tasks_[task].waits ? kNone : task;
    return Reading::kGoesOn;
  }
  if (tasks_[task].has_begun || depth_ == kMostDepth) return Reading::kIsForeign;
  tasks_[task].has_begun = true;
  stack_[depth_++] = running_ = task;
  return Reading::kGoesOn;
}

SubtreeContraction::Reading SubtreeContraction::end() noexcept {
  Task& task = tasks_[stack_[--depth_]];
  if (task.waits || task.groups != 0) return Reading::kIsForeign;
  task.has_ended = true;
  if (depth_ == 0) {
    task.path = std::max(task.path, task.children);
    return Reading::kIsWhole;
  }
  ++ended_;
  --tasks_[task.creator].live;
  const std::uint32_t path = std::max(task.path, task.children);
  std::uint32_t waiting = task.creator;
  while (tasks_[waiting].has_ended && tasks_[waiting].creator != kNone) waiting = tasks_[waiting].creator;
  tasks_[waiting].children = std::max(tasks_[waiting].children, path);
  if (task.is_at_once) tasks_[waiting].path = std::max(tasks_[waiting].path, path);
  running_ = tasks_[stack_[depth_ - 1]].waits ? kNone : stack_[depth_ - 1];
  return Reading::kGoesOn;
}

// Foreign: it began before the task went on here, or another thread ran what it waited for.
SubtreeContraction::Reading SubtreeContraction::wait(bool is_for_group, bool begins) noexcept {
  Task& task = tasks_[stack_[depth_ - 1]];
  if (task.waits == begins || (is_for_group && task.groups == 0)) return Reading::kIsForeign;
  task.waits = begins;
  running_ = begins ? kNone : stack_[depth_ - 1];
  if (begins) return Reading::kGoesOn;
  if (!is_for_group && task.live != 0) return Reading::kIsForeign;
  if (is_for_group) --task.groups;
  task.path = std::max(task.path, task.children);
  return Reading::kGoesOn;
}

bool SubtreeContraction::add_contracted(const std::uint32_t* payload) noexcept {
  if (running_ == kNone) return false;
  const std::uint32_t count = payload[kHeadWords - 1];
  if (count > kMostKernels) return false;
  std::int64_t moved = std::int64_t{payload[1]} + payload[2];
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t* const item = payload + kHeadWords + 4 * i;
    const std::uint8_t kernel = kernel_of(trace::u64_at(item));
    if (kernel == 0) return false;
    kernels_[kernel - 1].tasks += item[2];
    kernel_ticks_[kernel] += item[3];
    moved += item[3];
  }
  Task& task = tasks_[running_];
  kernel_ticks_[task.kernel] -= moved;
  task.path = std::max(task.path, task.began_at + payload[0]);
  in_no_task_ += payload[1];
  tool_ += payload[2];
  waits_ += payload[3];
  groups_ += payload[4];
  counted_ += payload[5];
  return true;
}

std::uint32_t* SubtreeContraction::write(std::uint32_t* word, std::uint64_t ticks) const noexcept {
  for (const std::uint32_t head :
       {std::uint32_t{FORETASK_EVENT_EXTENDED}, std::uint32_t{FORETASK_EVENT_SUBTREE},
        static_cast<std::uint32_t>(ticks), static_cast<std::uint32_t>(ticks >> 32), tasks_[0].path,
        word_of(in_no_task_), word_of(tool_), waits_, groups_, counted_, kernel_count_})
    *word++ = head;
  for (std::uint32_t i = 0; i < kernel_count_; ++i) {
    trace::put_u64(word, kernels_[i].code);
    *word++ = kernels_[i].tasks;
    *word++ = word_of(kernel_ticks_[i + 1]);
  }
  return word;
}

}  // namespace foretask::runtime
