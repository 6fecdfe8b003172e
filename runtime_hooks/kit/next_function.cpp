// SPDX-License-Identifier: Apache-2.0
#include "kit/next_function.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "kit/code.hpp"

namespace foretask::kit {
namespace {

struct LateModule {
  Module place;
  void* handle = nullptr;  // never given back: the module stays where it is
};
// Those before `count` do not change. Release when it is stored, acquire when it is loaded.
constinit std::array<LateModule, kMostModules> modules{};
constinit std::atomic<std::size_t> count{0};
constinit std::mutex adding;

// kMostModules: it is not known.
std::size_t module_of(const void* caller) noexcept {
  const std::size_t known = count.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < known; ++i)
    if (modules[i].place.holds(caller)) return i;
  return kMostModules;
}

// Of the module that the caller lies in. Null where it cannot be had.
void* handle_of(const void* caller) noexcept {
  Dl_info module{};
  if (::dladdr(caller, &module) == 0 || !module.dli_fname) return nullptr;
  return ::dlopen(module.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
}

std::size_t add_module(const void* caller, void* handle) noexcept {
  const Module place = find_module(caller);
  const std::lock_guard lock(adding);
  const std::size_t known = count.load(std::memory_order_relaxed);
  if (const std::size_t other = module_of(caller); other < known) return other;
  if (known == kMostModules || !place.holds(caller)) return kMostModules;
  modules[known] = {place, handle};
  count.store(known + 1, std::memory_order_release);
  return known;
}

[[noreturn]] void end_without(const char* name) noexcept {
  std::fprintf(stderr, "foretask: error: %s is called, and no library has it\n", name);
  std::abort();
}

}  // namespace

void* find_function(const char* name) noexcept {
  if (void* const found = ::dlsym(RTLD_NEXT, name)) return found;
  for (const char* const* file = runtime_files; *file != nullptr; ++file)
    if (void* const library = ::dlopen(*file, RTLD_LAZY | RTLD_NOLOAD))
      if (void* const found = ::dlsym(library, name)) return found;
  return nullptr;
}

void* find_next_slow(const char* name, std::atomic<void*>& known, std::span<std::atomic<void*>> late,
                     const void* caller) noexcept {
  std::size_t module = late.empty() ? kMostModules : module_of(caller);
  if (module < late.size())
    if (void* const found = late[module].load(std::memory_order_relaxed)) return found;
  void* const common = find_function(name);
  if (common && (late.empty() || count.load() == 0)) {
    known.store(common, std::memory_order_relaxed);
    return common;
  }
  void* const handle = late.empty() ? nullptr : module < kMostModules ? modules[module].handle : handle_of(caller);
  void* found = handle ? ::dlsym(handle, name) : nullptr;
  if (!found) found = common;
  if (!found) end_without(name);
  if (module == kMostModules && handle) module = add_module(caller, handle);
  if (module < late.size()) late[module].store(found, std::memory_order_relaxed);
  return found;
}

}  // namespace foretask::kit
