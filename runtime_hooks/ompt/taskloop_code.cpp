// SPDX-License-Identifier: Apache-2.0
#include "taskloop_code.hpp"

#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <cstddef>

namespace foretask::ompt {

CodeRange runtime_code;

namespace {

CodeRange own_code;  // gomp_taskloop.cpp lies between libomp and the construct

// One within another where the tasks of the outer are run as they are made.
constexpr std::size_t kMaxDepth = 8;
thread_local const void* taskloops[kMaxDepth];
thread_local std::size_t depth = 0;

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

CodeRange module_of(const void* function) {
  Search search{function, {}};
  dl_iterate_phdr(take_module, &search);
  return search.found;
}

}  // namespace

void find_runtime(const void* function) {
  runtime_code = module_of(function);
  own_code = module_of(reinterpret_cast<const void*>(&find_runtime));
}

void enter_taskloop(foretask_stream* stream, const void* code) {
  if (depth < kMaxDepth) taskloops[depth] = is_in_runtime(code) || own_code.holds(code) ? find_caller(stream) : code;
  ++depth;
}

void leave_taskloop() {
  if (depth != 0) --depth;
}

const void* innermost_taskloop() { return depth == 0 || depth > kMaxDepth ? nullptr : taskloops[depth - 1]; }

void on_taskloop_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*, std::uint64_t,
                      const void* code) {
  if (kind != ompt_work_taskloop) return;
  if (endpoint == ompt_scope_begin) {
    enter_taskloop(nullptr, code);
  } else {
    leave_taskloop();
  }
}

}  // namespace foretask::ompt
