// SPDX-License-Identifier: Apache-2.0
// GOMP_taskloop. One call makes all tasks, each with a copy of the same data, and calls nobody for it: all are told of
// beforehand, and each finds its number by its first iteration.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "created_tasks.hpp"
#include "kit/handover.hpp"
#include "libgomp.hpp"
#include "loops.hpp"
#include "ompt_words.hpp"
#include "task_run.hpp"
#include "thread.hpp"

using namespace foretask::gomp;
using foretask::handed_over;
using foretask::taken_over;

namespace {

// How libgomp divides the iterations among tasks, which it says to nobody.
struct Division {
  std::uint64_t tasks = 0;
  std::uint64_t leading = 0;  // the first of them have `first` iterations, the others `other`
  std::uint64_t first = 0;
  std::uint64_t other = 0;

  // The number of the task that begins with that iteration.
  [[nodiscard]] std::uint64_t number_of(std::uint64_t iteration) const {
    const std::uint64_t led = leading * first;
    const std::uint64_t number =
        iteration < led ? iteration / first : leading + (other == 0 ? 0 : (iteration - led) / other);
    return number < tasks ? number : tasks - 1;
  }
};

// The rest goes to the first tasks, one iteration each.
Division divide_evenly(std::uint64_t iterations, std::uint64_t tasks) {
  const std::uint64_t other = iterations / tasks;
  const std::uint64_t rest = iterations % tasks;
  return {tasks, rest, other + 1, other};
}

// `iterations`: at least one. `number`: the grain size, or the number of tasks.
Division divide(std::uint64_t iterations, std::uint64_t number, unsigned flags) {
  if ((flags & kGrainsize) != 0) {
    if (number == 0) number = 1;
    const std::uint64_t whole = iterations / number;
    if ((flags & kStrict) != 0) return {whole + (iterations % number != 0 ? 1 : 0), whole, number, iterations % number};
    return divide_evenly(iterations, whole <= 1 ? 1 : whole);
  }
  const std::uint64_t tasks = number == 0 ? team_size() : number;
  return divide_evenly(iterations, tasks < iterations ? tasks : iterations);
}

// libgomp writes the task's iterations into the first two words, and uses the third for reductions.
template <typename Number>
struct Head {
  Number begin;
  Number end;
  void* reductions;
  Body body;
  CreatedTasks* created;
  Number first;  // of the loop
  Number step;
  Division division;
  std::int64_t offset;  // of the program's data, where they follow
  void* data;           // else where they are
  Copy copy;
};

template <typename Number>
std::uint64_t distance(Number from, Number to, Number step) {
  const auto by = static_cast<std::uint64_t>(step);
  if (by == 0) return 0;  // no loop of OpenMP's
  const std::uint64_t up = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  return static_cast<std::int64_t>(by) > 0 ? up / by : (0 - up) / (0 - by);
}

template <typename Number>
void run_part(void* block) {
  taken_over(block);  // from copy_part()
  auto* const head = static_cast<Head<Number>*>(block);
  auto* const data =
      static_cast<Number*>(head->data != nullptr ? head->data : static_cast<char*>(block) + head->offset);
  data[0] = head->begin;
  data[1] = head->end;
  Thread& thread = *enter_as_worker();
  CreatedTasks* const created = head->created;
  const std::uint64_t number = head->division.number_of(distance(head->first, head->begin, head->step));
  RunningTask task;
  ompt_data_t word;
  created->begin(number, task, word);
  run_task(thread, task, head->body, data);
  forget_loose_loops(task);
}

template <typename Number>
void copy_part(void* to, void* from) {
  auto* const source = static_cast<Head<Number>*>(from);
  auto* const head = static_cast<Head<Number>*>(to);
  *head = *source;
  head->data = nullptr;
  source->copy(static_cast<char*>(to) + source->offset, source->data);
  handed_over(to);
}

// 0: none.
template <typename Number>
std::uint64_t iterations_of(Number start, Number end, Number step, unsigned flags) {
  const bool is_up = std::is_signed_v<Number> ? step > 0 : (flags & kUp) != 0;
  if (is_up ? start >= end : start <= end) return 0;
  return iterations_between(static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(end),
                            static_cast<std::uint64_t>(step), is_up);
}

template <typename Number, typename Real>
void taskloop(Real real, Body body, void* data, Copy copy, long bytes, long align, unsigned flags, unsigned long number,
              int priority, Number start, Number end, Number step) {
  Thread* const thread = enter();
  const std::uint64_t iterations = thread != nullptr ? iterations_of(start, end, step, flags) : 0;
  if (iterations == 0) return real(body, data, copy, bytes, align, flags, number, priority, start, end, step);
  const Division division = divide(iterations, number, flags);
  const bool has_group = (flags & kNoGroup) == 0;
  ompt_data_t* const task = thread->current->data;
  TaskGroup* const group = has_group ? open_group(*thread) : nullptr;
  if (has_group) tell<ompt_callback_sync_region>(ompt_sync_region_taskgroup, ompt_scope_begin, nullptr, task, nullptr);
  const long own_align = align < 16 ? 16 : align;
  const std::int64_t offset = (static_cast<std::int64_t>(sizeof(Head<Number>)) + own_align - 1) / own_align * own_align;
  const std::int64_t all = (offset + bytes + own_align - 1) / own_align * own_align;
  void* const block = std::aligned_alloc(static_cast<std::size_t>(own_align), static_cast<std::size_t>(all));
  CreatedTasks* const created = CreatedTasks::make(division.tasks, *thread, has_group);
  if (block == nullptr || created == nullptr) std::abort();  // as libgomp does, which needs more
  const int words = creation_flags(*thread, (flags & kIf) != 0, flags) | foretask::ompt::kTaskloopFlag;
  created->set_made(made_by(*thread, words));
  const bool is_runtimes_choice = number == 0 && (flags & kGrainsize) == 0;
  if (foretask::ompt::open_loops != nullptr)
    foretask::ompt::open_loops->make_tasks(code_of(body), iterations, is_runtimes_choice);
  for (std::uint64_t i = 0; i < division.tasks; ++i)
    tell_creation(*thread, created->data(i), words, false, code_of(body));
  created->publish();
  auto* const head = static_cast<Head<Number>*>(block);
  *head = {start, end, nullptr, body, created, start, step, division, offset, copy != nullptr ? data : nullptr, copy};
  if ((flags & kReduction) != 0) std::memcpy(&head->reductions, static_cast<Number*>(data) + 2, sizeof(void*));
  if (copy == nullptr) std::memcpy(static_cast<char*>(block) + offset, data, static_cast<std::size_t>(bytes));
  if (has_group)
    tell<ompt_callback_sync_region_wait>(ompt_sync_region_taskgroup, ompt_scope_begin, nullptr, task, nullptr);
  real(run_part<Number>, block, copy != nullptr ? copy_part<Number> : nullptr, offset + bytes, own_align, flags, number,
       priority, start, end, step);
  std::free(block);
  if (!has_group) return;
  created->end_group(*thread);
  close_group(*thread, group);
  end_wait(*thread, ompt_sync_region_taskgroup);
}

}  // namespace

FORETASK_ENTRY void GOMP_taskloop(Body body, void* data, Copy copy, long bytes, long align, unsigned flags,
                                  unsigned long number, int priority, long start, long end, long step) {
  taskloop<long>(FORETASK_NEXT(GOMP_taskloop), body, data, copy, bytes, align, flags, number, priority, start, end,
                 step);
}

FORETASK_ENTRY void GOMP_taskloop_ull(Body body, void* data, Copy copy, long bytes, long align, unsigned flags,
                                      unsigned long number, int priority, Unsigned start, Unsigned end, Unsigned step) {
  taskloop<Unsigned>(FORETASK_NEXT(GOMP_taskloop_ull), body, data, copy, bytes, align, flags, number, priority, start,
                     end, step);
}
