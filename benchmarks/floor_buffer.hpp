// SPDX-License-Identifier: Apache-2.0
// What each floor tool does at an event: one time stamp and a store of 16 bytes, into memory that stays in the cache.
#pragma once

#include <x86intrin.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace foretask::benchmarks {

struct FloorBuffer {
  static constexpr std::size_t kEntries = 1 << 12;  // 64 KiB a thread

  struct Entry {
    std::uint64_t ticks;
    std::uint64_t what;
  };

  std::size_t next = 0;
  Entry entries[kEntries];
};

inline __attribute__((tls_model("initial-exec"))) thread_local constinit FloorBuffer* floor_buffer = nullptr;

inline void store_event(std::uint64_t what) {
  if (floor_buffer == nullptr) [[unlikely]]
    floor_buffer = static_cast<FloorBuffer*>(std::calloc(1, sizeof(FloorBuffer)));
  floor_buffer->entries[floor_buffer->next++ & (FloorBuffer::kEntries - 1)] = {__rdtsc(), what};
}

}  // namespace foretask::benchmarks
