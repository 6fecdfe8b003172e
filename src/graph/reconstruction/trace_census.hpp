// SPDX-License-Identifier: Apache-2.0
// A first reading of a trace: how much of everything there is, so that the second can place it without growing, and p.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "graph/reconstruction/core_times.hpp"
#include "trace/stream_reader.hpp"

namespace foretask::graph {

struct StreamCensus {
  std::uint32_t tasks = 0;  // that this stream created, losses in the middle included
  std::uint32_t regions = 0;
  std::uint64_t initial_ticks = 0;  // when its first initial task began; 0: it has none, or it is lost
  std::uint32_t thread = 0;         // the operating system's number of its first thread; 0: its beginning is lost
  std::vector<CoreTimes> core_times;
};

struct TraceCensus {
  std::vector<StreamCensus> streams;
  std::uint64_t events = 0;
  std::uint64_t first_ticks = ~std::uint64_t{0};
  std::uint64_t last_ticks = 0;
  std::uint64_t last_use_ticks = 0;  // when the last thread came to the runtime, or the last region began
  // Threads that teams and initial threads held at once: what the runtime says p is.
  std::uint32_t workers = 1;
  double core_wait_ticks = 0;  // of all threads, also outside of strands
  // When what is of interest first begins or ends, and which of the two; ~0: all of it is.
  std::uint64_t interest_ticks = ~std::uint64_t{0};
  bool interest_begins = false;
  bool says_who_cancels = false;  // it has events of cancellation: older traces have none
};

// Reads every stream once. `on_bytes` is told how many bytes were read since its last call.
[[nodiscard]] TraceCensus take_census(std::vector<trace::StreamReader>& streams,
                                      const std::function<void(std::uint64_t)>& on_bytes);

}  // namespace foretask::graph
