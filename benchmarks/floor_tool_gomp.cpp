// SPDX-License-Identifier: Apache-2.0
// The least that a recorder of libgomp's tasks can do: the functions that its hook answers for a task without clauses,
// and floor_buffer.hpp at a creation, a begin, an end, and both ends of a wait. What record_cost compares with.
#include <dlfcn.h>

#include <cstdint>
#include <cstring>

#include "floor_buffer.hpp"

namespace {

using foretask::benchmarks::store_event;

using Body = void (*)(void*);
using Copy = void (*)(void*, void*);
using Task = void (*)(Body, void*, Copy, long, long, bool, unsigned, void**, int, void*);
using Wait = void (*)();

// In front of the program's data in libgomp's block.
struct alignas(16) Head {
  Body body;
  std::uint64_t name;
};

struct Call {
  Head head;
  const void* data;
  std::size_t bytes;
};

std::uint64_t address_of(const void* code) { return reinterpret_cast<std::uintptr_t>(code); }

void copy_block(void* to, void* from) {
  const auto* const call = static_cast<const Call*>(from);
  auto* const head = static_cast<Head*>(to);
  *head = call->head;
  std::memcpy(head + 1, call->data, call->bytes);
}

void run_block(void* block) {
  auto* const head = static_cast<Head*>(block);
  store_event(head->name);
  head->body(head + 1);
  store_event(0);
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

#define FLOOR_ENTRY extern "C" __attribute__((visibility("default")))

FLOOR_ENTRY void GOMP_task(Body body, void* data, Copy copy, long bytes, long align, bool if_clause, unsigned flags,
                           void** depend, int priority, void* detach) {
  static const auto real = next<Task>("GOMP_task");
  if (copy != nullptr || !if_clause || flags != 0 || align > static_cast<long>(alignof(Head)))
    return real(body, data, copy, bytes, align, if_clause, flags, depend, priority, detach);
  const std::uint64_t name = address_of(__builtin_return_address(0));
  store_event(name);
  Call call{{body, name}, data, static_cast<std::size_t>(bytes)};
  real(run_block, &call, copy_block, static_cast<long>(sizeof(Head)) + bytes, static_cast<long>(alignof(Head)), true, 0,
       nullptr, 0, nullptr);
}

FLOOR_ENTRY void GOMP_taskwait() {
  static const auto real = next<Wait>("GOMP_taskwait");
  store_event(1);
  real();
  store_event(2);
}
