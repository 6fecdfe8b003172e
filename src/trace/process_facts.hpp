// SPDX-License-Identifier: Apache-2.0
// What a recording says of the process and of the machine that it ran on.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "foretask/hook.h"

namespace foretask::trace {

// A program or library mapped into the process.
struct Module {
  std::string path;
  std::uint64_t base = 0;   // load bias: address in memory minus address in the file
  std::uint64_t begin = 0;  // first and one past the last mapped address
  std::uint64_t end = 0;
  std::string build_id;  // hex; empty when the file has none
};

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

// What kept the process's threads from cores that the machine has.
struct CoreLimits {
  double quota = 0;                             // of its control group, in cores; 0: none
  std::int64_t throttled_ns = 0;                // by it, of all processors, while the recording lasted
  std::uint32_t threads_beyond_processors = 0;  // recorded ones: more than the processors that they are bound to
};

// Of the samples of where the program's threads were.
struct CodeSampling {
  std::uint32_t period_ns = 0;  // of a thread's time on a core; 0: nothing was sampled
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;
  std::string reason;  // why there are none; empty where there are, or none were wanted
};

// A counter that was asked for, and what came of it.
struct Counter {
  std::string name;     // as it was asked for
  std::string status;   // one of the following
  std::string reason;   // in words; empty where it is read
  double per_read = 0;  // what it counts from one read to the next when nothing happens in between: a median
};
inline constexpr const char* kCounterOk = "ok";
inline constexpr const char* kCounterUnavailable = "unavailable";  // this machine, or this kernel, does not have it
inline constexpr const char* kCounterDenied = "denied";            // it is there, and must not be read here
// It could only be had by taking turns with others, as an estimate.
inline constexpr const char* kCounterMultiplexed = "multiplexed";
// This build of foretask, or this way of recording, cannot read it.
inline constexpr const char* kCounterUnsupported = "unsupported";

// ns that recording an event costs, by kind; 0 for kinds that are not measured.
using ProbeCosts = std::array<double, FORETASK_EVENT_KINDS>;

}  // namespace foretask::trace
