// SPDX-License-Identifier: Apache-2.0
// What the stand-ins for libgomp's functions share.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <initializer_list>

#include "gomp_schedules.hpp"
#include "next_symbol.hpp"
#include "open_loops.hpp"

namespace foretask::ompt {

// A program may hold two runtimes, or have loaded libomp where RTLD_NEXT does not look.
template <typename Function>
Function runtime_function(const char* name) {
  if (const auto found = next_symbol<Function>(name)) return found;
  for (const char* const library : {"libomp.so.5", "libomp.so", "libiomp5.so", "libgomp.so.1"}) {
    void* const handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    if (void* const found = ::dlsym(handle, name)) return reinterpret_cast<Function>(found);
  }
  std::abort();  // nobody can have called it
}

// Iterations of a loop that counts down by `step`, negative modulo 2^64.
template <typename Number>
std::uint64_t count_down(Number start, Number end, Number step) {
  if (start <= end || step == 0) return 0;
  const std::uint64_t distance = static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(end);
  const std::uint64_t stride = -static_cast<std::uint64_t>(step);
  return (distance - 1) / stride + 1;
}

// What OMP_SCHEDULE, or the program, asks for of loops with schedule(runtime).
void ask_runtime(LoopCall& call);

// The calling thread's next loop is at `code`. `schedule`: a foretask_schedule, or unknown where the user says by
// schedule(runtime). Starts the runtime, and the recorder with it, where that is not at work yet.
void announce(std::uint32_t schedule, std::uint64_t chunk, const void* code);

}  // namespace foretask::ompt

// The runtime's own function of that name.
#define FORETASK_NEXT(function) foretask::ompt::runtime_function<decltype(&function)>(#function)
