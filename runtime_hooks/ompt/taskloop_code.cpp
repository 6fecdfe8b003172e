// SPDX-License-Identifier: Apache-2.0
#include "taskloop_code.hpp"

#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace foretask::ompt {

CodeRange runtime_code;
thread_local const ompt_data_t* created_word = nullptr;

namespace {

CodeRange own_code;  // gomp_taskloop.cpp lies between libomp and the construct

// One within another where the tasks of the outer are run as they are made.
constexpr std::size_t kMaxDepth = 8;
thread_local const void* taskloops[kMaxDepth];
thread_local std::size_t depth = 0;
std::atomic<bool> has_taskloops{false};

ompt_get_task_info_t get_task_info = nullptr;
ompt_get_task_memory_t get_task_memory = nullptr;

// The part of a task that compiled code and the runtime share (kmp_task_t).
struct SharedTask {
  const void* shared;  // of what is behind; null: nothing
  const void* routine;
  std::int32_t part;
};
constexpr std::size_t kPartEnd = 20;         // where ompt_get_task_memory() says that a task's own data begin,
constexpr std::size_t kDestructorsEnd = 32;  // or here, at a multiple of 8

struct Unwinding {
  bool in_runtime = false;
  const void* caller = nullptr;
};

_Unwind_Reason_Code leave_runtime(_Unwind_Context* context, void* data) {
  auto& unwinding = *static_cast<Unwinding*>(data);
  const auto* const code = reinterpret_cast<const void*>(_Unwind_GetIP(context));
  if (is_in_runtime(code) || own_code.holds(code)) {
    unwinding.in_runtime = true;
  } else if (unwinding.in_runtime) {
    unwinding.caller = code;
    return _URC_NORMAL_STOP;
  }
  return _URC_NO_REASON;
}

// The construct is where the stack leaves libomp.
const void* find_caller(foretask_stream* stream) {
  Unwinding unwinding;
  if (!stream) {
    _Unwind_Backtrace(leave_runtime, &unwinding);
    return unwinding.caller;
  }
  const std::uint64_t from = foretask_stream_ticks(stream);
  _Unwind_Backtrace(leave_runtime, &unwinding);
  const std::uint64_t spent = foretask_stream_ticks(stream) - from;
  foretask_record_2_(stream, FORETASK_EVENT_TOOL_TIME, static_cast<std::uint32_t>(spent),
                     static_cast<std::uint32_t>(spent >> 32));
  return unwinding.caller;
}

struct Search {
  const void* function;
  CodeRange found;
};

// Of dl_iterate_phdr: the module that holds the function.
int take_module(dl_phdr_info* module, std::size_t, void* data) {
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
  search.found = range;
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

// libomp keeps the word of a task and what it shares with compiled code in one block, in each version at another
// distance. Searched for once: a routine behind a pointer to what follows, and no part run yet.
std::ptrdiff_t find_distance(const char* word) {
  constexpr std::ptrdiff_t kMostDistance = 256;
  constexpr std::ptrdiff_t kMostSharedBytes = 1 << 16;
  for (std::ptrdiff_t distance = sizeof(ompt_data_t); distance <= kMostDistance; distance += sizeof(void*)) {
    const auto& task = *reinterpret_cast<const SharedTask*>(word + distance);
    const std::ptrdiff_t shared = static_cast<const char*>(task.shared) - word;
    auto routine = reinterpret_cast<std::uintptr_t>(task.routine);
    const bool is_behind = shared > distance && shared < distance + kMostSharedBytes;
    if ((task.shared == nullptr || is_behind) && task.part == 0 && dl_iterate_phdr(is_code, &routine) != 0)
      return distance;
  }
  return -1;
}

// Null: not found.
const void* routine_of(const ompt_data_t* created) {
  static std::atomic<std::ptrdiff_t> found{0};
  const auto* const word = reinterpret_cast<const char*>(created);
  std::ptrdiff_t distance = found.load(std::memory_order_relaxed);
  if (distance == 0) found.store(distance = find_distance(word), std::memory_order_relaxed);
  if (distance < 0) return nullptr;
  return reinterpret_cast<const SharedTask*>(word + distance)->routine;
}

// True if the running task has libomp's own routine: a part of a taskloop, which makes others.
bool is_in_part_of_taskloop() {
  if (!has_taskloops.load(std::memory_order_relaxed)) return false;
  int flags = 0;
  if (get_task_info(0, &flags, nullptr, nullptr, nullptr, nullptr) != 2 || (flags & ompt_task_explicit) == 0)
    return false;
  void* data = nullptr;
  std::size_t size = 0;
  static_cast<void>(get_task_memory(&data, &size, 0));  // 14 and 16 return 1, 19 returns 0
  if (data == nullptr) return false;
  const std::size_t before = reinterpret_cast<std::uintptr_t>(data) % 8 == 4 ? kPartEnd : kDestructorsEnd;
  return is_in_runtime(reinterpret_cast<const SharedTask*>(static_cast<char*>(data) - before)->routine);
}

CodeRange module_of(const void* function) {
  Search search{function, {}};
  dl_iterate_phdr(take_module, &search);
  return search.found;
}

}  // namespace

void find_runtime(ompt_function_lookup_t lookup) {
  runtime_code = module_of(reinterpret_cast<const void*>(lookup));
  get_task_info = reinterpret_cast<ompt_get_task_info_t>(lookup("ompt_get_task_info"));
  get_task_memory = reinterpret_cast<ompt_get_task_memory_t>(lookup("ompt_get_task_memory"));
  own_code = module_of(reinterpret_cast<const void*>(&find_runtime));
}

void enter_taskloop(foretask_stream* stream, const void* code) {
  if (depth < kMaxDepth) taskloops[depth] = is_in_runtime(code) || own_code.holds(code) ? find_caller(stream) : code;
  ++depth;
  has_taskloops.store(true, std::memory_order_relaxed);
}

void leave_taskloop() {
  if (depth != 0) --depth;
}

Creation find_creation(const ompt_data_t* created) {
  if (depth != 0) return {depth > kMaxDepth ? nullptr : taskloops[depth - 1], true};
  if (is_in_part_of_taskloop()) return {nullptr, true};
  const void* const routine = routine_of(created_word != nullptr ? created_word : created);
  if (routine == nullptr || is_in_runtime(routine)) return {nullptr, true};
  return {static_cast<const char*>(routine) + 1, false};  // names are looked up one byte before
}

}  // namespace foretask::ompt
