// SPDX-License-Identifier: Apache-2.0
// Counters of the processor and the kernel, read a thread at a time. papi_source.cpp has them from PAPI,
// null_source.cpp has none: CMake picks one. Cold but for ThreadCounters::read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/process_facts.hpp"

namespace foretask::runtime {

// The counters of the thread that opened them, which alone uses and destroys them.
class ThreadCounters {
 public:
  ThreadCounters() = default;
  ThreadCounters(const ThreadCounters&) = delete;
  ThreadCounters& operator=(const ThreadCounters&) = delete;
  virtual ~ThreadCounters() = default;
  // HOT: values since they were opened, one a counter whose status is "ok", in their order. No lock, no allocation; a
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
  [[nodiscard]] virtual const std::vector<trace::Counter>& statuses() const noexcept = 0;
  // Null when the thread cannot have them, or none is "ok". One call at a time.
  [[nodiscard]] virtual std::unique_ptr<ThreadCounters> open_thread() noexcept = 0;

  // How many are "ok".
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
