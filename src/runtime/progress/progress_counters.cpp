// SPDX-License-Identifier: Apache-2.0
#include "runtime/progress/progress_counters.hpp"

#include <exception>
#include <memory>
#include <mutex>

#include "base/held_signals.hpp"

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

}  // namespace

ProgressCounters* take_progress_counters() noexcept {
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

void give_back_progress_counters(ProgressCounters* counters) noexcept {
  counters->running.store(0, std::memory_order_relaxed);
  Pool& to = pool();
  const base::HeldSignals held;
  const std::lock_guard lock(to.mutex);
  to.free.push_back(counters);  // there is room: see take_progress_counters()
}

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
