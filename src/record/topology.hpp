// SPDX-License-Identifier: Apache-2.0
// The machine, as hwloc sees it: where each processor is, and a fingerprint that two runs on one machine share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace foretask::record {

struct ProcessorPlace {
  std::uint32_t processor = 0;  // the operating system's number
  std::uint32_t core = 0;
  std::uint32_t last_level_cache = 0;
  std::uint32_t numa_node = 0;
  std::uint32_t package = 0;
};

struct Machine {
  std::string host;
  std::string processor_model;
  std::uint32_t cores = 0;
  std::uint32_t processors = 0;         // of the machine
  std::uint32_t processors_usable = 0;  // by this process: its affinity mask
  std::uint64_t memory_bytes = 0;
  std::string fingerprint;  // hex; of model, cores, processors and caches
  std::vector<ProcessorPlace> places;
};

// Some 5 ms. An unreadable topology gives what the operating system says, with no places.
[[nodiscard]] Machine read_machine();

}  // namespace foretask::record
