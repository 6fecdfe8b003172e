// SPDX-License-Identifier: Apache-2.0
#include "next_function.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace foretask::tbb {
namespace {

struct LateModule {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  void* handle = nullptr;  // never given back: the module stays where it is
};
// Those before `count` do not change. Release when it is stored, acquire when it is loaded.
constinit std::array<LateModule, kLateModules> modules{};
constinit std::atomic<std::size_t> count{0};
std::mutex mutex;

struct Search {
  std::uintptr_t address;
  LateModule found;
};

int find_module(dl_phdr_info* module, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  LateModule range{UINTPTR_MAX, 0, nullptr};
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = module->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = module->dlpi_addr + header.p_vaddr;
    range.begin = std::min(range.begin, begin);
    range.end = std::max(range.end, begin + header.p_memsz);
  }
  if (search.address < range.begin || search.address >= range.end) return 0;
  search.found = range;
  return 1;
}

// Of the module that the caller lies in. Null where it cannot be had.
void* handle_of(const void* caller) {
  Dl_info module{};
  if (::dladdr(caller, &module) == 0 || !module.dli_fname) return nullptr;
  return ::dlopen(module.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
}

// With the lock held.
std::size_t add_module(const void* caller, void* handle) {
  const std::size_t known = count.load(std::memory_order_relaxed);
  Search search{reinterpret_cast<std::uintptr_t>(caller), {}};
  if (known == kLateModules || ::dl_iterate_phdr(find_module, &search) == 0) return kLateModules;
  modules[known] = search.found;
  modules[known].handle = handle;
  count.store(known + 1, std::memory_order_release);
  return known;
}

}  // namespace

std::size_t late_module_of(const void* caller) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  const std::size_t known = count.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < known; ++i)
    if (address >= modules[i].begin && address < modules[i].end) return i;
  return kLateModules;
}

NextModule find_next_function(const char* name, const void* caller) noexcept {
  const std::lock_guard lock(mutex);
  void* const common = ::dlsym(RTLD_NEXT, name);
  if (common && count.load() == 0) return {.number = kLateModules, .function = common, .is_for_all = true};
  NextModule next{.number = late_module_of(caller)};
  void* const handle = next.number < kLateModules ? modules[next.number].handle : handle_of(caller);
  next.function = handle ? ::dlsym(handle, name) : nullptr;
  if (!next.function) next.function = common;
  if (!next.function) {
    std::fprintf(stderr, "foretask: error: %s is called, and no libtbb has it\n", name);
    std::abort();
  }
  if (next.number == kLateModules && handle) next.number = add_module(caller, handle);
  return next;
}

}  // namespace foretask::tbb
