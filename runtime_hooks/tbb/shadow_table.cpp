// SPDX-License-Identifier: Apache-2.0
#include "shadow_table.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>
#include <typeinfo>

#include "foretask/hook.h"

namespace foretask::tbb {

constinit std::array<std::atomic<Shadow*>, kShadowPlaces> shadow_places{};

namespace {

constexpr std::size_t kProbes = 32;

std::mutex mutex;

// No word behind the module's data is read.
std::size_t readable_words(void* const* table) noexcept {
  constexpr std::size_t kNeeded = kCancelSlot + 1;
  const std::uintptr_t end = kit::find_module(table).segment_end;
  if (end == 0) return kNeeded;
  return std::clamp((end - reinterpret_cast<std::uintptr_t>(table)) / sizeof(void*), kNeeded, Shadow::kAfter);
}

// Null in a program without type information.
const char* type_name(void* const* table) noexcept {
  const auto* const type = static_cast<const std::type_info*>(table[-1]);
  return type ? type->name() : nullptr;
}

__attribute__((noinline)) Shadow* add_shadow(void** table, TaskFunction execute, TaskFunction cancel) noexcept {
  const std::size_t words = readable_words(table);
  const std::lock_guard lock(mutex);
  for (std::size_t i = 0; i < kProbes; ++i) {
    std::atomic<Shadow*>& place = shadow_places[(first_shadow_place(table) + i) % kShadowPlaces];
    Shadow* const known = place.load(std::memory_order_relaxed);
    if (known && known->is_of(table)) return known;
    if (known) continue;
    auto* const shadow = new (std::nothrow) Shadow(table, words, execute, cancel);
    place.store(shadow, std::memory_order_release);
    return shadow;
  }
  return nullptr;
}

}  // namespace

Shadow::Shadow(void** original, std::size_t count, TaskFunction our_execute, TaskFunction our_cancel) noexcept
    : original_(original),
      execute_(original[kExecuteSlot]),
      cancel_(original[kCancelSlot]),
      body_(task_class_of(type_name(original))) {
  std::copy_n(original - kBefore, kBefore + count, words_.begin());
  words_[kBefore + kExecuteSlot] = reinterpret_cast<void*>(our_execute);
  words_[kBefore + kCancelSlot] = reinterpret_cast<void*>(our_cancel);
}

Shadow* shadow_of(void** table, TaskFunction execute, TaskFunction cancel) noexcept {
  for (std::size_t i = 0; i < kProbes; ++i) {
    Shadow* const shadow =
        shadow_places[(first_shadow_place(table) + i) % kShadowPlaces].load(std::memory_order_acquire);
    if (!shadow) break;
    if (shadow->is_of(table)) [[likely]]
      return shadow;
  }
  return add_shadow(table, execute, cancel);
}

TaskKernel kernel_of_new_task_slow(const Task& task, Shadow& shadow) noexcept {
  TaskBody& body = shadow.body();
  if (shadow.kind() == TaskClass::Kind::kLoop) {
    TaskKernel kernel{shadow.code()};
    if (body.iterations_of(task) != 0)
      kernel.counts_iterations = foretask_hook_next_loop_part(kernel.code, &kernel.named) != 0;
    return kernel;
  }
  const void* const code = body.code_of(task);
  return {code ? code : shadow.code()};
}

}  // namespace foretask::tbb
