// SPDX-License-Identifier: Apache-2.0
// What a recording made here and now would rest on.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace foretask::analysis {

struct MachineFacts {
  std::string host;
  std::string processor_model;
  std::uint32_t packages = 0;
  std::uint32_t numa_nodes = 0;
  std::uint32_t cores = 0;
  std::uint32_t processors = 0;
  std::uint32_t processors_usable = 0;  // by this process
  std::uint64_t memory_bytes = 0;
  std::string fingerprint;          // that two runs on one machine share
  bool clock_is_invariant = false;  // the processor's counter; else CLOCK_MONOTONIC
  double ticks_per_second = 0;
  std::vector<std::pair<std::string, double>> probe_ns;  // what recording one event costs, by its name
};

// Whether a counter can be read here, by the names that FORETASK_COUNTERS takes.
struct CounterFact {
  std::string name;
  std::string status;  // "ok", "unavailable", "denied", "multiplexed", "unsupported"
  std::string reason;  // in words, where it is not ok
};

// Each of them alone; some ms.
[[nodiscard]] std::vector<CounterFact> inspect_counters(const std::vector<std::string>& names);

// Reads the topology and measures the clock and the probes: some 100 ms.
[[nodiscard]] MachineFacts inspect_machine();

}  // namespace foretask::analysis
