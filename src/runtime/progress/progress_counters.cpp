// SPDX-License-Identifier: Apache-2.0
#include "runtime/progress/progress_counters.hpp"

#include <exception>
#include <memory>
#include <mutex>

#include "base/held_signals.hpp"
#include "base/thread_end.hpp"
#include "runtime/progress/progress_kernels.hpp"

namespace foretask::runtime {
namespace {

struct Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<ProgressCounters>> all;
  std::vector<ProgressCounters*> free;
};

// Never destroyed: threads may count until the process is gone.
Pool& pool() {
  static auto* const instance = new Pool;
  return *instance;
}

// No counters could be had.
constinit thread_local bool is_refused __attribute__((tls_model("initial-exec"))) = false;

constinit base::ThreadEnd thread_end;

void give_back(void* given) noexcept {
  auto* const counters = static_cast<ProgressCounters*>(given);
  thread_counters = nullptr;
  counters->running.store(0, std::memory_order_relaxed);
  Pool& to = pool();
  const base::HeldSignals held;
  const std::lock_guard lock(to.mutex);
  to.free.push_back(counters);  // there is room: see take()
}

// When this library is loaded.
__attribute__((constructor)) void open_thread_end() { thread_end.open(give_back); }

ProgressCounters* take() noexcept {
  try {
    Pool& from = pool();
    const base::HeldSignals held;
    const std::lock_guard lock(from.mutex);
    if (!from.free.empty()) {
      ProgressCounters* const counters = from.free.back();
      from.free.pop_back();
      return counters;
    }
    from.all.push_back(std::make_unique<ProgressCounters>());
    from.free.reserve(from.all.size());
    return from.all.back().get();
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

ProgressCounters* open_progress_counters_slow() noexcept {
  if (is_refused) return nullptr;
  ProgressCounters* const counters = take();
  if (counters && !thread_end.set(counters))
    give_back(counters);
  else
    thread_counters = counters;
  is_refused = !thread_counters;
  return thread_counters;
}

void count_scope_begin(const foretask_kernel* kernel) noexcept {
  if (are_tasks_counted.load(std::memory_order_relaxed)) return;
  const bool is_new = !thread_counters;
  ProgressCounters* const counters = own_progress_counters();
  if (!counters) return;
  if (is_new) counted_workers.fetch_add(1, std::memory_order_relaxed);
  counters->kernels[progress_place(*counters, kernel, base::KernelKind::kNamed)].started.add(1);
}

void count_scope_end(const foretask_kernel* kernel, std::uint64_t own_ticks) noexcept {
  ProgressCounters* const counters = thread_counters;
  if (!counters || are_tasks_counted.load(std::memory_order_relaxed)) return;
  KernelCounters& of_kernel = counters->kernels[progress_place(*counters, kernel, base::KernelKind::kNamed)];
  of_kernel.finished.add(1);
  of_kernel.ticks.add(own_ticks);
}

void close_progress_threads() noexcept { thread_end.close(); }

std::vector<ProgressCounters*> all_progress_counters() {
  Pool& from = pool();
  const std::lock_guard lock(from.mutex);
  std::vector<ProgressCounters*> result;
  result.reserve(from.all.size());
  for (const auto& counters : from.all) result.push_back(counters.get());
  return result;
}

void lock_progress_counters() { pool().mutex.lock(); }
void unlock_progress_counters() { pool().mutex.unlock(); }

}  // namespace foretask::runtime
