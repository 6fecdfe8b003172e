// SPDX-License-Identifier: Apache-2.0
#include "runtime/learning/code_kernels.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/held_signals.hpp"
#include "base/run_aside.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/learning/code_version.hpp"
#include "runtime/learning/learning.hpp"
#include "runtime/recording/module_map.hpp"

namespace foretask::runtime {
namespace {

using base::KernelKind;

// Null: not known, or not any more, as code was unloaded since.
using Kernels = std::unordered_map<const void*, std::atomic<foretask_kernel*>>;

// Those asked for last, for all threads: entries of the map, which stay where they are. Not by thread: there is little
// room for variables of threads where a library may be loaded late.
constexpr std::size_t kRecent = 256;
using Recent = std::array<std::atomic<const Kernels::value_type*>, kRecent>;
constinit std::array<Recent, base::kKernelKinds> recent{};

std::mutex& mutex() {
  static auto* const instance = new std::mutex;
  return *instance;
}

const char* parameter_of(KernelKind kind) {
  if (kind == KernelKind::kRegion) return "threads";
  if (kind == KernelKind::kSubtrees) return "depth";
  return kind == KernelKind::kTasks ? nullptr : "iterations";
}

// With the mutex locked, this and the next.
std::array<Kernels, base::kKernelKinds>& all_kernels() {
  static auto* const all = new std::array<Kernels, base::kKernelKinds>;
  return *all;
}

void forget_unloaded() {
  static std::uint64_t unloads = 0;
  const std::uint64_t now = count_unloads();
  if (now == unloads) return;
  unloads = now;
  for (Kernels& kernels : all_kernels())
    for (auto& entry : kernels) entry.second.store(nullptr, std::memory_order_relaxed);
}

const Kernels::value_type& find_slow(const void* code, KernelKind kind) {
  const std::lock_guard lock(mutex());
  forget_unloaded();
  Kernels::value_type& entry = *all_kernels()[static_cast<std::size_t>(kind)].try_emplace(code).first;
  if (entry.second.load(std::memory_order_relaxed)) return entry;
  const CodePlace place = place_of_code(code);
  const std::string name = base::kernel_name(place.name, kind);
  const std::string version = code_version_of(code);
  const char* const parameter = parameter_of(kind);
  foretask_kernel_options options{};
  options.size = sizeof options;
  options.name = name.c_str();
  options.parameters = &parameter;
  options.parameter_count = parameter ? 1 : 0;
  options.code_version = version.c_str();
  foretask_kernel* const kernel = foretask_kernel_define_with(&options, nullptr);
  if (kernel) {
    Learning::instance().adopt_version(*kernel, version);
    const auto models = Learning::instance().learner().lock_models();
    kernel->module = place.module;
  }
  entry.second.store(kernel, std::memory_order_release);
  return entry;
}

}  // namespace

foretask_kernel* kernel_of_code(const void* code, KernelKind kind) noexcept {
  std::atomic<const Kernels::value_type*>& place =
      recent[static_cast<std::size_t>(kind)][(reinterpret_cast<std::uintptr_t>(code) >> 2) % kRecent];
  // Acquire, here and of the kernel: pairs with the stores, so that the entry is whole, and a kernel that was put into
  // it anew.
  const Kernels::value_type* entry = place.load(std::memory_order_acquire);
  if (entry != nullptr && entry->first == code) [[likely]]
    if (foretask_kernel* const kernel = entry->second.load(std::memory_order_acquire)) [[likely]]
      return kernel;
  entry = nullptr;
  base::try_aside([&] { entry = &find_slow(code, kind); });
  if (entry == nullptr) return nullptr;
  place.store(entry, std::memory_order_release);
  return entry->second.load(std::memory_order_acquire);
}

std::string version_of(const foretask_kernel& kernel) {
  const base::HeldSignals held;
  const auto models = Learning::instance().learner().lock_models();
  return kernel.code_version;
}

void forget_unloaded_code() noexcept {
  const std::unique_lock lock(mutex(), std::try_to_lock);
  if (lock) forget_unloaded();
}

void lock_code_kernels() { mutex().lock(); }
void unlock_code_kernels() { mutex().unlock(); }

}  // namespace foretask::runtime
