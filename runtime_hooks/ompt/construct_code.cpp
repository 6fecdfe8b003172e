// SPDX-License-Identifier: Apache-2.0
#include "construct_code.hpp"

#include <link.h>

#include <algorithm>

namespace foretask::ompt {

CodeRange runtime_code;
std::atomic<std::ptrdiff_t> task_distance{kNoDistance};
constinit thread_local const ompt_data_t* created_word = nullptr;
constinit thread_local const void* forked_function = nullptr;

namespace {

// One within another where the tasks of the outer are run as they are made.
thread_local unsigned taskloops = 0;
std::atomic<bool> has_taskloops{false};

ompt_get_task_info_t get_task_info = nullptr;

const SharedTask& task_of(const ompt_data_t* word, std::ptrdiff_t distance) {
  return *reinterpret_cast<const SharedTask*>(reinterpret_cast<const char*>(word) + distance);
}

struct Search {
  const void* function;
  CodeRange found;
};

// Of dl_iterate_phdr: the library that holds the function. The program itself has no name.
int take_library(dl_phdr_info* module, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  std::uintptr_t begin = ~std::uintptr_t{0};
  std::uintptr_t end = 0;
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    begin = std::min<std::uintptr_t>(begin, module->dlpi_addr + segment.p_vaddr);
    end = std::max<std::uintptr_t>(end, module->dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  const CodeRange range{begin, end - begin};
  if (!range.holds(search.function)) return 0;
  if (module->dlpi_name != nullptr && *module->dlpi_name != '\0') search.found = range;
  return 1;
}

// For dl_iterate_phdr: true if the module has the address in its code.
int is_code(dl_phdr_info* module, std::size_t, void* data) {
  const std::uintptr_t address = *static_cast<const std::uintptr_t*>(data);
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module->dlpi_phdr[i];
    const bool runs = segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0;
    if (runs && address - (module->dlpi_addr + segment.p_vaddr) < segment.p_memsz) return 1;
  }
  return 0;
}

// In each version it is another one. A task begins a cache line, has a routine behind a pointer to what follows, and no
// part of it has run.
std::ptrdiff_t find_distance(const ompt_data_t* word) {
  constexpr std::ptrdiff_t kMostDistance = 256;
  constexpr std::ptrdiff_t kMostSharedBytes = 1 << 16;
  constexpr std::uintptr_t kCacheLine = 64;
  for (std::ptrdiff_t distance = sizeof(ompt_data_t); distance <= kMostDistance; distance += sizeof(void*)) {
    const SharedTask& task = task_of(word, distance);
    if (reinterpret_cast<std::uintptr_t>(&task) % kCacheLine != 0) continue;
    const std::ptrdiff_t shared = static_cast<const char*>(task.shared) - reinterpret_cast<const char*>(word);
    auto routine = reinterpret_cast<std::uintptr_t>(task.routine);
    const bool is_behind = shared > distance && shared < distance + kMostSharedBytes;
    if ((task.shared == nullptr || is_behind) && task.part == 0 && dl_iterate_phdr(is_code, &routine) != 0)
      return distance;
  }
  return kNoDistance;
}

// True if the running task has libomp's own routine: a part of a taskloop, which makes others.
bool is_in_part_of_taskloop(std::ptrdiff_t distance) {
  if (!has_taskloops.load(std::memory_order_relaxed)) return false;
  int flags = 0;
  ompt_data_t* word = nullptr;
  return get_task_info(0, &flags, &word, nullptr, nullptr, nullptr) == 2 && (flags & ompt_task_explicit) != 0 &&
         word != nullptr && is_in_runtime(task_of(word, distance).routine);
}

}  // namespace

void find_runtime(ompt_function_lookup_t lookup) {
  Search search{reinterpret_cast<const void*>(lookup), {}};
  dl_iterate_phdr(take_library, &search);
  runtime_code = search.found;
  get_task_info = reinterpret_cast<ompt_get_task_info_t>(lookup("ompt_get_task_info"));
  task_distance.store(kUnknownDistance, std::memory_order_relaxed);
}

void enter_taskloop() {
  ++taskloops;
  has_taskloops.store(true, std::memory_order_relaxed);
}

void leave_taskloop() {
  if (taskloops != 0) --taskloops;
}

Creation find_creation_slow(const ompt_data_t* word, const void* code) {
  std::ptrdiff_t distance = task_distance.load(std::memory_order_relaxed);
  if (distance == kUnknownDistance) {
    distance = find_distance(word);
    task_distance.store(distance, std::memory_order_relaxed);
  }
  if (distance == kNoDistance) return {is_in_runtime(code) ? nullptr : code, taskloops != 0};
  const SharedTask* task = &task_of(word, distance);
  if (!is_in_runtime(code)) return {code_of(task->routine), false};
  // A task that makes others of a taskloop has their pattern first in what it shares.
  const bool makes_others = is_in_runtime(task->routine);
  if (makes_others) task = *static_cast<const SharedTask* const*>(task->shared);
  return {code_of(task->routine), makes_others || taskloops != 0 || is_in_part_of_taskloop(distance)};
}

}  // namespace foretask::ompt
