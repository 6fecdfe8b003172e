// SPDX-License-Identifier: Apache-2.0
#include "runtime/progress/thread_counters.hpp"

#include <exception>
#include <memory>
#include <mutex>

#include "base/held_signals.hpp"

namespace foretask::runtime {
namespace {

struct Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<ThreadCounters>> all;
  std::vector<ThreadCounters*> free;
};

// Never destroyed: threads may count until the process is gone.
Pool& pool() {
  static auto* const instance = new Pool;
  return *instance;
}

}  // namespace

ThreadCounters* take_thread_counters() noexcept {
  try {
    Pool& from = pool();
    const base::HeldSignals held;
    const std::lock_guard lock(from.mutex);
    if (!from.free.empty()) {
      ThreadCounters* const counters = from.free.back();
      from.free.pop_back();
      return counters;
    }
    from.all.push_back(std::make_unique<ThreadCounters>());
    from.free.reserve(from.all.size());
    return from.all.back().get();
  } catch (const std::exception&) {
    return nullptr;
  }
}

void give_back_thread_counters(ThreadCounters* counters) noexcept {
  counters->running.store(0, std::memory_order_relaxed);
  Pool& to = pool();
  const base::HeldSignals held;
  const std::lock_guard lock(to.mutex);
  to.free.push_back(counters);  // there is room: see take_thread_counters()
}

std::vector<ThreadCounters*> all_thread_counters() {
  Pool& from = pool();
  const std::lock_guard lock(from.mutex);
  std::vector<ThreadCounters*> result;
  result.reserve(from.all.size());
  for (const auto& counters : from.all) result.push_back(counters.get());
  return result;
}

void lock_thread_counters() { pool().mutex.lock(); }
void unlock_thread_counters() { pool().mutex.unlock(); }

}  // namespace foretask::runtime
