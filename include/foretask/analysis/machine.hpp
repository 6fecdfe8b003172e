// SPDX-License-Identifier: Apache-2.0
// What a recording here and now would rely on. Thread safe.
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
  std::string fingerprint;          // the same for all runs on this machine
  bool clock_is_invariant = false;  // the processor's counter; else CLOCK_MONOTONIC is used
  double ticks_per_second = 0;
  double counter_ghz = 0;         // what the counter is said to run at
  double clock_step_ns = 0;       // 0: shorter than a reading takes
  bool tells_core_wait = false;   // the system says how long a thread waits for a core
  std::string sampling_obstacle;  // why threads cannot be sampled, and what would allow it; empty: they can
  std::vector<std::pair<std::string, double>> probe_ns;  // event and its probe cost
};

// Whether a counter can be read here. Names as in FORETASK_COUNTERS.
struct CounterFact {
  std::string name;
  std::string status;  // "ok", "unavailable", "denied", "multiplexed", "unsupported"
  std::string reason;  // in words, where it is not ok
};

// Tries each counter alone; some ms.
[[nodiscard]] std::vector<CounterFact> inspect_counters(const std::vector<std::string>& names);

// Reads the topology and measures the clock and the probes: some 100 ms.
[[nodiscard]] MachineFacts inspect_machine();

// How many processors this process may use, and how much of their time.
struct CoreLimits {
  unsigned processors = 0;  // that it may run on; 0: not known
  double quota = 0;         // so many cores' time is what its control groups leave it; 0: there is no limit
};

// Reads some files, some 50 us.
[[nodiscard]] CoreLimits core_limits();

}  // namespace foretask::analysis
