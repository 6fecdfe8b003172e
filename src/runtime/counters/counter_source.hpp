// SPDX-License-Identifier: Apache-2.0
// Counters of the processor and the kernel, read a thread at a time. papi_source.cpp has them from PAPI,
// null_source.cpp has none: CMake picks one. Cold but for ThreadCounters::read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace foretask::runtime {

enum class CounterState : std::uint8_t {
  kOk,
  kUnavailable,  // this machine, or this kernel, does not have it
  kDenied,       // it is there, and must not be read here
  kMultiplexed,  // it could only be had by taking turns with others, as an estimate
  kUnsupported   // this build of foretask, or this way of recording, cannot read it
};

// "ok", "unavailable", ...
[[nodiscard]] std::string_view counter_state_text(CounterState state) noexcept;

// A counter that was asked for, and what came of it.
struct CounterStatus {
  std::string name;  // as it was asked for
  CounterState state = CounterState::kUnsupported;
  std::string reason;   // in words; empty where it is read
  double per_read = 0;  // what it counts from one read to the next when nothing happens in between: a median
};

// The counters of the thread that opened them, which alone uses and destroys them.
class ThreadCounters {
 public:
  ThreadCounters() = default;
  ThreadCounters(const ThreadCounters&) = delete;
  ThreadCounters& operator=(const ThreadCounters&) = delete;
  virtual ~ThreadCounters() = default;
  // HOT: values since they were opened, one a counter whose state is kOk, in their order. No lock, no allocation; a
  // system call. False when they cannot be read any more.
  [[nodiscard]] virtual bool read(std::uint64_t* values) noexcept = 0;
};

class CounterSource {
 public:
  CounterSource() = default;
  CounterSource(const CounterSource&) = delete;
  CounterSource& operator=(const CounterSource&) = delete;
  virtual ~CounterSource() = default;
  // One a name that was asked for, in that order.
  [[nodiscard]] virtual const std::vector<CounterStatus>& statuses() const noexcept = 0;
  // Null when the thread cannot have them, or none is kOk. One call at a time.
  [[nodiscard]] virtual std::unique_ptr<ThreadCounters> open_thread() noexcept = 0;

  // How many are kOk.
  [[nodiscard]] std::uint32_t count() const noexcept;
};

// Names are PAPI's: its presets (PAPI_TOT_INS) and native events (perf::TASK-CLOCK). Never null; some ms where there is
// a name. At most FORETASK_MAX_COUNTERS are read.
[[nodiscard]] std::unique_ptr<CounterSource> open_counter_source(const std::vector<std::string>& names);

// A name without what it may be written with or without: in capitals, neither "perf::" before it nor modifiers behind
// it. "perf::task-clock:u=1" is "TASK-CLOCK", "PAPI_TOT_INS" itself.
[[nodiscard]] std::string bare_counter_name(std::string_view name);

// A list as the user writes it: names parted by commas, groups by semicolons. Empty names and repeated ones of a group
// are left out, as are empty groups.
[[nodiscard]] std::vector<std::vector<std::string>> parse_counter_groups(std::string_view list);

}  // namespace foretask::runtime
