// SPDX-License-Identifier: Apache-2.0
#include "runtime/learning/code_kernels.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/run_aside.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/learning/code_version.hpp"
#include "runtime/learning/learning.hpp"
#include "runtime/recording/code_place.hpp"

namespace foretask::runtime {
namespace {

using base::KernelKind;

using Kernels = std::unordered_map<const void*, foretask_kernel*>;

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
  return kind == KernelKind::kTasks ? nullptr : "iterations";
}

const Kernels::value_type& find_slow(const void* code, KernelKind kind) {
  const std::lock_guard lock(mutex());
  static auto* const all = new std::array<Kernels, base::kKernelKinds>;
  Kernels* const kernels = &(*all)[static_cast<std::size_t>(kind)];
  if (const auto there = kernels->find(code); there != kernels->end()) return *there;
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
    const auto models = Learning::instance().learner().lock_models();
    kernel->module = place.module;
  }
  return *kernels->emplace(code, kernel).first;
}

}  // namespace

foretask_kernel* kernel_of_code(const void* code, KernelKind kind) noexcept {
  std::atomic<const Kernels::value_type*>& place =
      recent[static_cast<std::size_t>(kind)][(reinterpret_cast<std::uintptr_t>(code) >> 2) % kRecent];
  // Acquire: pairs with the store below, so that the entry is whole.
  const Kernels::value_type* entry = place.load(std::memory_order_acquire);
  if (entry != nullptr && entry->first == code) [[likely]]
    return entry->second;
  entry = nullptr;
  static_cast<void>(base::run_aside([&] {
    try {
      entry = &find_slow(code, kind);
    } catch (const std::exception&) {
    }
  }));
  if (entry == nullptr || entry->second == nullptr) return nullptr;
  place.store(entry, std::memory_order_release);
  return entry->second;
}

void lock_code_kernels() { mutex().lock(); }
void unlock_code_kernels() { mutex().unlock(); }

}  // namespace foretask::runtime
