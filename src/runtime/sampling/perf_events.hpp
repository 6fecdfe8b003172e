// SPDX-License-Identifier: Apache-2.0
// Linux samples the code addresses at which this process's threads run (perf_event_open(2)): by its own clock, without
// a signal to the program. Only perf_events.cpp uses the system's interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::runtime {

struct CodeSample {
  std::int64_t time_ns = 0;   // CLOCK_MONOTONIC
  std::uint64_t address = 0;  // of the instruction
  std::uint32_t thread = 0;   // the operating system's number
};

// One thread at a time calls it. 260 KiB of memory a processor, 68 KiB where the system allows no more.
class PerfEvents {
 public:
  // A power of two, as the system asks. By default a user may have 516 KiB a processor.
  static constexpr std::size_t kBufferBytes = 256 << 10;

  // Samples each thread but the calling one, and each thread that these start, after every `period_ns` on a core.
  // Error: the system forbids it, or cannot.
  [[nodiscard]] static Result<std::unique_ptr<PerfEvents>> open(std::uint32_t period_ns,
                                                                std::size_t buffer_bytes = kBufferBytes);
  PerfEvents(const PerfEvents&) = delete;
  PerfEvents& operator=(const PerfEvents&) = delete;
  ~PerfEvents();

  // True if it keeps file descriptors, in the table of the thread that opened it: the process had several threads then.
  // Else the memory alone keeps the system sampling.
  [[nodiscard]] bool has_descriptors() const noexcept { return !descriptors_.empty(); }

  // Adds what was sampled since the last call, processor by processor. A processor's buffer is full after some 8,000
  // samples, or 2,000. What a full one has lost is found out, which takes some 5 ms: the calling thread goes to that
  // processor and is sampled there.
  void read(std::vector<CodeSample>& samples);
  // Samples that found a buffer full.
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

 private:
  PerfEvents() = default;
  struct Buffer;
  void read(const Buffer& buffer, std::vector<CodeSample>& samples);

  std::vector<Buffer> buffers_;
  std::vector<int> descriptors_;
  std::uint64_t lost_ = 0;
};

}  // namespace foretask::runtime
