// SPDX-License-Identifier: Apache-2.0
#include "api/code_kernels.hpp"

#include <array>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <unordered_map>

#include "api/code_place.hpp"
#include "api/code_version.hpp"
#include "api/kernel_registry.hpp"
#include "api/learning.hpp"
#include "base/run_aside.hpp"

namespace foretask::api {
namespace {

constexpr std::size_t kCached = 64;

struct Cached {
  const void* code = nullptr;
  foretask_kernel* kernel = nullptr;
};

thread_local std::array<Cached, kCached> cache;

std::mutex& mutex() {
  static auto* const instance = new std::mutex;
  return *instance;
}

foretask_kernel* find_slow(const void* code) {
  const std::lock_guard lock(mutex());
  static auto* const kernels = new std::unordered_map<const void*, foretask_kernel*>;
  if (const auto there = kernels->find(code); there != kernels->end()) return there->second;
  const CodePlace place = place_of_code(code);
  const std::string version = code_version_of(code);
  foretask_kernel_options options{};
  options.size = sizeof options;
  options.name = place.name.c_str();
  options.code_version = version.c_str();
  foretask_kernel* const kernel = foretask_kernel_define_with(&options, nullptr);
  if (kernel) {
    const auto models = Learning::instance().learner().lock_models();
    kernel->module = place.module;
  }
  kernels->emplace(code, kernel);
  return kernel;
}

}  // namespace

foretask_kernel* kernel_of_code(const void* code) noexcept {
  Cached& cached = cache[(reinterpret_cast<std::uintptr_t>(code) >> 2) % kCached];
  if (cached.code == code && cached.kernel) [[likely]]
    return cached.kernel;
  foretask_kernel* kernel = nullptr;
  static_cast<void>(base::run_aside([&] {
    try {
      kernel = find_slow(code);
    } catch (const std::exception&) {
    }
  }));
  cached = {code, kernel};
  return kernel;
}

void lock_code_kernels() { mutex().lock(); }
void unlock_code_kernels() { mutex().unlock(); }

}  // namespace foretask::api
