// SPDX-License-Identifier: Apache-2.0
// target, and teams outside of it. On the host libgomp runs the code of target as code of the calling thread, or in a
// task of its own if target has nowait.
#include <omp-tools.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "created_tasks.hpp"
#include "kit/handover.hpp"
#include "libgomp.hpp"
#include "task_run.hpp"
#include "thread.hpp"

using namespace foretask::gomp;
using foretask::handed_over;
using foretask::taken_over;

namespace {

constexpr unsigned kNoWait = 1;  // of the flags of GOMP_target_ext

// The code of target runs as if outside of regions. What it opens has threads of its own, which end with it.
class TargetCode {
 public:
  explicit TargetCode(Thread& thread) : thread_(thread), made_(thread.current->made), last_team_(thread.last_team) {
    thread.current->made = Made::kOutside;
  }
  ~TargetCode() {
    thread_.current->made = made_;
    thread_.last_team = last_team_;
  }
  TargetCode(const TargetCode&) = delete;
  TargetCode& operator=(const TargetCode&) = delete;

 private:
  Thread& thread_;
  Made made_;
  unsigned last_team_;
};

// The first of the addresses that libgomp copies for the code. The program's follow. A discarded one is never freed.
struct TargetTask {
  Body body;
  CreatedTasks* created;
};

void run_target_task(void* addresses) {
  auto* const list = static_cast<void**>(addresses);
  const std::unique_ptr<TargetTask> target(static_cast<TargetTask*>(list[0]));
  taken_over(target.get());
  Thread& thread = *enter_as_worker();
  RunningTask task;
  ompt_data_t word;
  target->created->begin(0, task, word);
  RunningTask* const below = thread.current;
  begin_task(thread, task);
  {
    const TargetCode code(thread);
    target->body(list + 1);
  }
  end_task(thread, task, below);
}

// The arguments that libgomp gets for a target that is a task: one more address, which is mapped as nothing.
template <typename Word>
std::unique_ptr<Word[]> with_one_before(Word first, const Word* rest, std::size_t count) {
  std::unique_ptr<Word[]> all(new (std::nothrow) Word[count + 1]);
  if (all == nullptr) return all;
  all[0] = first;
  if (count != 0) std::memcpy(&all[1], rest, count * sizeof(Word));
  return all;
}

bool has_devices() {
  using Count = int (*)();
  static const auto count = find_function<Count>("omp_get_num_devices");
  return count == nullptr || count() != 0;
}

void warn_of_target_tasks() {
  static std::atomic<bool> is_told{false};
  if (is_told.exchange(true)) return;
  std::fprintf(
      stderr,
      "foretask: warning: where OpenMP has devices, target constructs with nowait or depend are no tasks in the "
      "recording\n");
}

}  // namespace

FORETASK_ENTRY void GOMP_target_ext(int device, Body body, std::size_t count, void** addresses, std::size_t* sizes,
                                    unsigned short* kinds, unsigned flags, void** depend, void** arguments) {
  const auto real = FORETASK_NEXT(GOMP_target_ext);
  Thread* const thread = enter();
  if (thread == nullptr) return real(device, body, count, addresses, sizes, kinds, flags, depend, arguments);
  const bool has_no_wait = (flags & kNoWait) != 0;
  if (!has_no_wait && depend == nullptr) {
    const TargetCode code(*thread);
    return real(device, body, count, addresses, sizes, kinds, flags, depend, arguments);
  }
  // libgomp finds the code on a device by its address.
  std::unique_ptr<TargetTask> task(has_devices() ? nullptr : new (std::nothrow) TargetTask);
  CreatedTasks* const created = task != nullptr ? CreatedTasks::make(1, *thread, false) : nullptr;
  const auto all_addresses = with_one_before(static_cast<void*>(task.get()), addresses, count);
  const auto all_sizes = with_one_before(std::size_t{0}, sizes, count);
  const auto all_kinds = with_one_before(static_cast<unsigned short>(0), kinds, count);
  if (created == nullptr || all_addresses == nullptr || all_sizes == nullptr || all_kinds == nullptr) {
    warn_of_target_tasks();
    return real(device, body, count, addresses, sizes, kinds, flags, depend, arguments);
  }
  const bool is_deferred = has_no_wait && thread->current->made != Made::kInFinal;
  const int words = is_deferred ? int{ompt_task_explicit} : creation_flags(*thread, false, 0);
  tell_creation(*thread, created->data(0), words, depend != nullptr, code_of(body));
  if (depend != nullptr) tell_dependences(created->data(0), depend);
  created->publish();
  *task = {body, created};
  handed_over(task.get());
  static_cast<void>(task.release());  // to run_target_task()
  real(device, run_target_task, count + 1, all_addresses.get(), all_sizes.get(), all_kinds.get(), flags, depend,
       arguments);
}

// GCC 5 and older.
FORETASK_ENTRY void GOMP_target(int device, Body body, const void* unused, std::size_t count, void** addresses,
                                std::size_t* sizes, unsigned char* kinds) {
  const auto real = FORETASK_NEXT(GOMP_target);
  Thread* const thread = enter();
  if (thread == nullptr) return real(device, body, unused, count, addresses, sizes, kinds);
  const TargetCode code(*thread);
  real(device, body, unused, count, addresses, sizes, kinds);
}

// They run no code of the program's, and are OpenMP for a program that has nothing else.
FORETASK_ENTRY void GOMP_target_data_ext(int device, std::size_t count, void** addresses, std::size_t* sizes,
                                         unsigned short* kinds) {
  const auto real = FORETASK_NEXT(GOMP_target_data_ext);
  static_cast<void>(enter());
  real(device, count, addresses, sizes, kinds);
}

#define FORETASK_MOVE_DATA(name)                                                                                       \
  FORETASK_ENTRY void name(int device, std::size_t count, void** addresses, std::size_t* sizes, unsigned short* kinds, \
                           unsigned flags, void** depend) {                                                            \
    const auto real = FORETASK_NEXT(name);                                                                             \
    static_cast<void>(enter());                                                                                        \
    real(device, count, addresses, sizes, kinds, flags, depend);                                                       \
  }
FORETASK_MOVE_DATA(GOMP_target_update_ext)
FORETASK_MOVE_DATA(GOMP_target_enter_exit_data)

// libgomp runs the teams one after the other.
FORETASK_ENTRY void GOMP_teams_reg(Body body, void* data, unsigned teams, unsigned limit, unsigned flags) {
  const auto real = FORETASK_NEXT(GOMP_teams_reg);
  static_cast<void>(enter());
  real(body, data, teams, limit, flags);
}
