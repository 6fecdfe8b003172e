// SPDX-License-Identifier: Apache-2.0
#include "runtime/progress/progress_counters.hpp"

#include <exception>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/held_signals.hpp"
#include "base/run_aside.hpp"
#include "base/thread_end.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/recording/module_map.hpp"

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

using Kind = base::KernelKind;

struct Places {
  std::mutex mutex;
  std::array<std::unordered_map<const void*, std::uint32_t>, base::kKernelKinds> by_key;
  std::unordered_map<std::string, std::uint32_t> by_name;
  std::vector<std::string> names{"(other kernels)", "(serial part)"};
};

Places& places() {
  static auto* const instance = new Places;
  return *instance;
}

std::string name_of(const void* key, Kind kind) {
  if (kind == Kind::kNamed) return static_cast<const foretask_kernel*>(key)->name;
  return base::kernel_name(place_of_code(key).name, kind);
}

std::uint32_t find_slow(const void* key, Kind kind) {
  Places& all = places();
  const std::lock_guard lock(all.mutex);
  auto& known = all.by_key[static_cast<std::size_t>(kind)];
  if (const auto there = known.find(key); there != known.end()) return there->second;
  const std::string name = name_of(key, kind);
  std::uint32_t place = kOtherKernels;
  if (const auto there = all.by_name.find(name); there != all.by_name.end()) {
    place = there->second;
  } else if (all.names.size() < kMostProgressKernels) {
    place = static_cast<std::uint32_t>(all.names.size());
    all.names.push_back(name);
    all.by_name.emplace(name, place);
  }
  known.emplace(key, place);
  return place;
}

}  // namespace

std::uint32_t progress_place_slow(const void* key, Kind kind) noexcept {
  std::uint32_t place = kOtherKernels;
  base::try_aside([&] { place = find_slow(key, kind); });
  return place;
}

std::vector<std::string> progress_kernel_names() {
  Places& all = places();
  const std::lock_guard lock(all.mutex);
  return all.names;
}

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

void lock_progress_kernels() { places().mutex.lock(); }
void unlock_progress_kernels() { places().mutex.unlock(); }
void lock_progress_counters() { pool().mutex.lock(); }
void unlock_progress_counters() { pool().mutex.unlock(); }

}  // namespace foretask::runtime
