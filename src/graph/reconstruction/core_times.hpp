// SPDX-License-Identifier: Apache-2.0
// When the threads of a stream were not on a core, by its events of kind thread_times. A reading tells of an interval
// that ends with it. The recorder reads at the first event that comes 0.25 ms after the last reading, so an interval is
// a short row of events and then one gap between two events, of any length. What is off the cores is taken to lie in
// that gap, and what it cannot hold evenly before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/stream_reader.hpp"

namespace foretask::graph {

// From one event of a stream to a later one.
struct CoreTimes {
  std::uint64_t from_ticks = 0;
  std::uint64_t to_ticks = 0;
  // Parts of that time: the thread waited for a core, or was blocked in the system. Together at most 1.
  double waited = 0;
  double blocked = 0;
};

class CoreTimesReader {
 public:
  // The stream's events in their order.
  void add(const trace::Event& event);
  // In order of time, and without overlap. What no reading tells apart counts as blocked.
  [[nodiscard]] std::vector<CoreTimes> finish();
  // In all, also where a thread had nothing to do but look for work.
  [[nodiscard]] double waited_ticks() const noexcept { return told_ticks_ + ready_ticks_; }

 private:
  void read(const trace::Event& event);
  void end_thread();
  // `off` of `length` ticks.
  void add_piece(CoreTimes piece, std::uint64_t off, std::uint64_t length, bool has_blocked);
  // Of the ticks off the cores since the last such event so many were waits; the rest was blocked.
  void tell_apart(double waited);

  std::vector<CoreTimes> pieces_;
  std::size_t untold_ = 0;  // from here on pieces with `blocked` may have waited, too
  double unknown_ticks_ = 0;
  double waited_ticks_ = 0;  // known ones, since the last event that says their sum
  double told_ticks_ = 0;    // waits up to the last event that says their sum
  double ready_ticks_ = 0;   // off the cores since then, never blocked
  // The last two events (0: none), and the tool's own time since the last reading.
  std::uint64_t before_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t tool_ticks_ = 0;
};

}  // namespace foretask::graph
