// SPDX-License-Identifier: Apache-2.0
// HOT: how a runtime of one's own, such as a thread pool, has its tasks recorded, learned, predicted and counted:
// hook.h and task_hook.h in C++20 types. Header only; throws nothing. docs/own_runtime.md shows it step by step.
//
//   namespace hook = foretask::hook;
//   const hook::Runtime runtime("my_pool");                 // where the pool is made
//   hook::Region region(runtime, n);                        // on the thread that makes it, before its threads
//   const hook::Worker worker(region, i);                   // on each of its n threads
//   const hook::Task task = region.create(gemm, {}, m, k);  // where a task is submitted
//   { const hook::Running running(task); body(); }          // on the thread that runs it
//   { const hook::Waiting waiting(region); wait(); }        // where a thread waits for all of them
//
// Off, each costs a load and a branch; recorded, a task some 90 ns and each edge some 20 ns; learned, some 50 ns.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

#include "foretask/foretask.hpp"
#include "foretask/hook.h"
#include "foretask/task_hook.h"

namespace foretask::hook {

// Starts recording, learning and counting, as the environment asks. The first one of a process counts, some 10 ms.
// `name` is the runtime's in the recording. Any thread.
class Runtime {
 public:
  explicit Runtime(const char* name, const char* version = "") noexcept {
    const int started = foretask_hook_start_as(name, version, FORETASK_HOOK_OWN_THREADS | FORETASK_HOOK_RUNS_TASKS, 0);
    records_ = (started & FORETASK_HOOK_RECORDS) != 0;
    follows_ = foretask_hook_follows_tasks() != 0;
  }

  [[nodiscard]] bool records() const noexcept { return records_; }
  // Tasks are learned or counted.
  [[nodiscard]] bool follows() const noexcept { return follows_; }

 private:
  bool records_;
  bool follows_;
};

// A task, from its creation to its end. Copied with what the runtime keeps of it. It runs exactly once, or is given to
// Region::discard(). A default one is none: running it does nothing.
struct Task {
  std::uint64_t name = 0;              // in the recording; 0: it is not recorded
  foretask_hook_task* life = nullptr;  // null: it is not followed
};

// One thing that a new task comes after: another task, or what earlier tasks did with data. Data orders all tasks as
// OpenMP's depend clauses do, whichever thread creates them.
struct Edge {
  std::uint64_t address;
  std::uint32_t kind;  // foretask_dependence_kind
};
[[nodiscard]] inline Edge after(const Task& task) noexcept { return {task.name, FORETASK_DEPENDENCE_AFTER}; }
[[nodiscard]] inline Edge reads(const void* data) noexcept {
  return {reinterpret_cast<std::uintptr_t>(data), FORETASK_DEPENDENCE_IN};
}
[[nodiscard]] inline Edge writes(const void* data) noexcept {
  return {reinterpret_cast<std::uintptr_t>(data), FORETASK_DEPENDENCE_INOUT};
}

// The calling thread's: what it runs, as far as this header knows.
struct ThisThread {
  foretask_stream* stream = nullptr;  // of a worker
  Task running;
  bool leads = false;  // it has made the region

  [[nodiscard]] foretask_stream* stream_here() const noexcept { return stream ? stream : foretask_stream_of_thread(); }
};
inline constinit thread_local ThisThread this_thread{};

// Records what comes before the latest task or wait of the stream, in as many events as that takes.
class Dependences {
 public:
  explicit Dependences(foretask_stream* stream) noexcept : stream_(stream) {}
  ~Dependences() { flush(); }
  Dependences(const Dependences&) = delete;
  Dependences& operator=(const Dependences&) = delete;

  // `kind`: a foretask_dependence_kind.
  void add(std::uint64_t address, std::uint32_t kind) noexcept {
    addresses_[used_] = address;
    kinds_[used_++] = kind;
    if (used_ == FORETASK_DEPENDENCES_PER_EVENT) flush();
  }
  void add(std::span<const std::uint64_t> addresses, std::uint32_t kind) noexcept {
    for (const std::uint64_t address : addresses) add(address, kind);
  }
  void add(std::span<const Edge> edges) noexcept {
    for (const Edge& edge : edges) add(edge.address, edge.kind);
  }
  // There are no more. If there was none at all that has to be said of a task that waits for these words.
  void close() noexcept {
    if (!any_ && used_ == 0) foretask_record_dependences(stream_, addresses_.data(), kinds_.data(), 0);
  }

 private:
  void flush() noexcept {
    if (used_ != 0) foretask_record_dependences(stream_, addresses_.data(), kinds_.data(), used_);
    any_ = true;
    used_ = 0;
  }

  foretask_stream* stream_;
  std::array<std::uint64_t, FORETASK_DEPENDENCES_PER_EVENT> addresses_;
  std::array<std::uint32_t, FORETASK_DEPENDENCES_PER_EVENT> kinds_;
  std::uint32_t used_ = 0;
  bool any_ = false;
};

// The next task is one of the kernel. With values of more parameters than it has, it has none, and is not learned.
template <typename... Values>
void name_next(const Kernel& kernel, Values... values) noexcept {
  if (kernel.next_openmp_task(values...) == FORETASK_WRONG_COUNT) static_cast<void>(kernel.next_openmp_task());
}

// `stream` is null where nothing is recorded.
inline Task create_task(foretask_stream* stream, bool follows, const void* code, std::span<const Edge> edges,
                        std::uint32_t flags) noexcept {
  Task task;
  if (stream) {
    if (!edges.empty()) flags |= FORETASK_TASK_HAS_DEPENDENCES;
    task.name = foretask_record_task_create(stream, code, FORETASK_TASK_ONE_ORDER | flags);
    Dependences(stream).add(edges);
  }
  if (follows && (task.life = foretask_hook_task_create(code)) != nullptr) task.life->name = task.name;
  return task;
}

// A team of `workers` threads that run tasks. Made and ended on one thread, before its threads begin and after they
// have ended. That thread is one of them if `leader` is kRuns: it runs tasks while it waits, has no Worker, and its
// index is 0. Else it only submits, and is not counted. One region at a time on a thread: of a second one within, what
// waits end is not seen.
class Region {
 public:
  enum Leader : std::uint32_t { kRuns = 0, kSubmits = FORETASK_RUNS_NO_TASKS };

  Region(const Runtime& runtime, std::uint32_t workers, Leader leader = kSubmits) noexcept
      : workers_(workers), follows_(runtime.follows()) {
    this_thread.leads = true;
    if (follows_) life_ = foretask_hook_region_enter(nullptr, workers);
    foretask_stream* const stream = runtime.records() ? this_thread.stream_here() : nullptr;
    if (!stream) return;
    name_ = foretask_record_region_begin(stream, nullptr, workers);
    member_ = foretask_record_implicit_begin(stream, name_, workers, leader);
  }
  ~Region() {
    this_thread.leads = false;
    if (follows_) foretask_hook_region_leave(life_);
    foretask_stream* const stream = name_ != 0 ? this_thread.stream_here() : nullptr;
    if (!stream) return;
    foretask_record_implicit_end(stream, member_);
    foretask_record_region_end(stream, name_, 0);
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  // A task of `kernel` with the first ones of its parameters; Running::set() gives the others. It comes after `edges`,
  // and after what the calling thread runs now.
  template <typename... Values>
  requires KernelParameters<Values...>
  [[nodiscard]] Task create(const Kernel& kernel, std::span<const Edge> edges, Values... values) const noexcept {
    if (name_ == 0 && !follows_) return {};
    name_next(kernel, values...);
    return create(static_cast<const void*>(kernel.get()), edges);
  }
  [[nodiscard]] Task create(const Kernel& kernel) const noexcept { return create(kernel, std::span<const Edge>()); }
  template <typename... Values>
  requires KernelParameters<Values...>
  [[nodiscard]] Task create(const Kernel& kernel, std::initializer_list<Edge> edges, Values... values) const noexcept {
    return create(kernel, std::span<const Edge>(edges.begin(), edges.size()), values...);
  }

  // The same of a task that has no kernel of its own: it is named after the function or the line at `code`.
  [[nodiscard]] Task create(const void* code, std::span<const Edge> edges = {}) const noexcept {
    return create_task(name_ != 0 ? this_thread.stream_here() : nullptr, follows_, code, edges, 0);
  }

  // It will never run.
  void discard(const Task& task) const noexcept {
    if (task.name != 0) foretask_record_task_cancel(this_thread.stream_here(), task.name, this_thread.running.name);
    if (task.life) foretask_hook_task_discard(task.life, this_thread.running.life);
  }

 private:
  friend class Worker;
  friend class Waiting;

  std::uint32_t workers_;
  bool follows_;
  foretask_hook_task* life_ = nullptr;
  std::uint64_t name_ = 0;  // 0: nothing is recorded
  std::uint64_t member_ = 0;
};

// The calling thread is worker `index` of the region until this ends, at the thread's end. What it does outside of
// tasks is the runtime's. Make it before anything else of foretask's on the thread.
class Worker {
 public:
  Worker(const Region& region, std::uint32_t index) noexcept {
    foretask_stream* const stream = region.name_ != 0 ? foretask_stream_open() : nullptr;
    this_thread.stream = stream;
    if (!stream) return;
    static_cast<void>(foretask_record_implicit_begin(stream, region.name_, region.workers_, index));
    foretask_record_wait_begin(stream, FORETASK_EVENT_BARRIER_BEGIN);
  }
  ~Worker() { foretask_stream_close(std::exchange(this_thread.stream, nullptr)); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
};

// For a runtime that tells that a task begins on the calling thread, but not who submitted it. It needs no region and
// no worker. The task comes after `edges`; what else it waited for is assumed (docs/own_runtime.md, "Scopes alone").
template <typename... Values>
requires KernelParameters<Values...>
[[nodiscard]] Task begin_unsubmitted(const Runtime& runtime, const Kernel& kernel, std::span<const Edge> edges,
                                     Values... values) noexcept {
  foretask_stream* const stream = runtime.records() ? this_thread.stream_here() : nullptr;
  if (!stream && !runtime.follows()) return {};
  name_next(kernel, values...);
  return create_task(stream, runtime.follows(), kernel.get(), edges, FORETASK_TASK_OWN);
}

// The calling thread runs the task until this ends. They nest: a thread may run another task while one waits.
class [[nodiscard]] Running {
 public:
  explicit Running(const Task& task) noexcept : outer_(this_thread.running), is_none_(task.name == 0 && !task.life) {
    if (is_none_) return;
    this_thread.running = task;
    if (task.name != 0) foretask_record_task_switch(this_thread.stream_here(), task.name);
    if (task.life) foretask_hook_task_switch(task.life);
  }
  ~Running() {
    if (is_none_) return;
    const Task task = std::exchange(this_thread.running, outer_);
    if (task.life) foretask_hook_task_end(task.life, outer_.life);
    if (task.name != 0) foretask_record_task_end(this_thread.stream_here(), outer_.name);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // A parameter that only the body knows.
  foretask_status set(std::size_t index, double value) const noexcept {
    return is_none_ ? FORETASK_OFF : foretask_openmp_set(index, value);
  }

 private:
  Task outer_;
  bool is_none_;
};

// The calling thread waits until this ends, and may run tasks meanwhile. With `edges` it waits for those named alone.
// Without: within a task for the tasks that this one has created; else, on the thread that made the region, for all,
// and on another one for those that it has created. A worker between two tasks need not say that it waits.
class [[nodiscard]] Waiting {
 public:
  explicit Waiting(const Region& region, std::span<const Edge> edges = {}) noexcept
      : follows_(region.follows_ && !is_idle_worker()) {
    if (follows_) foretask_hook_wait_begin();
    stream_ = region.name_ != 0 && !is_idle_worker() ? this_thread.stream_here() : nullptr;
    if (!stream_) return;
    if (!edges.empty()) {
      name_ = foretask_record_depend_wait_begin(stream_, nullptr, FORETASK_TASK_ONE_ORDER);
      Dependences(stream_).add(edges);
    } else {
      is_barrier_ = this_thread.leads && this_thread.running.name == 0;
      foretask_record_wait_begin(stream_, is_barrier_ ? FORETASK_EVENT_BARRIER_BEGIN : FORETASK_EVENT_WAIT_BEGIN);
    }
  }
  Waiting(const Region& region, std::initializer_list<Edge> edges) noexcept
      : Waiting(region, std::span<const Edge>(edges.begin(), edges.size())) {}
  ~Waiting() {
    if (follows_) foretask_hook_wait_end();
    if (!stream_) return;
    if (name_ != 0)
      foretask_record_depend_wait_end(stream_, name_, 0);
    else
      foretask_record_wait_end(stream_, is_barrier_ ? FORETASK_EVENT_BARRIER_END : FORETASK_EVENT_WAIT_END, 0);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  // Between two tasks a worker waits for its next task, which is no wait of the program's.
  static bool is_idle_worker() noexcept { return this_thread.stream && this_thread.running.name == 0; }

  bool follows_;
  bool is_barrier_ = false;
  foretask_stream* stream_ = nullptr;
  std::uint64_t name_ = 0;
};

}  // namespace foretask::hook
