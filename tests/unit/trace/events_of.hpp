// SPDX-License-Identifier: Apache-2.0
// A stream's events as values that tests compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ostream>
#include <vector>

#include "trace/stream_reader.hpp"

namespace foretask::test {

struct SeenEvent {
  std::uint32_t kind = 0;
  std::uint64_t ticks = 0;
  std::vector<std::uint32_t> payload;

  bool operator==(const SeenEvent&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const SeenEvent& event) {
    out << "kind " << event.kind << " at " << event.ticks << " with";
    for (const std::uint32_t word : event.payload) out << ' ' << word;
    return out;
  }
};

// Words of each kind's payload, counted in docs/trace_format.md's table; 0 where it depends.
inline constexpr std::size_t kPayloadWords[] = {0, 1, 2, 1, 2, 0, 0, 2, 0, 0, 2, 0, 0, 0, 0, 0, 2, 2, 4, 2, 0, 3,
                                                2, 2, 1, 2, 2, 0, 2, 2, 0, 0, 0, 3, 0, 0, 1, 0, 6, 7, 9, 3, 1};
static_assert(std::size(kPayloadWords) == FORETASK_EVENT_KINDS);

inline std::size_t payload_size(const trace::Event& event) {
  if (event.kind == FORETASK_EVENT_DEPENDENCES) return 1 + std::size_t{3} * *event.payload;
  if (event.kind == FORETASK_EVENT_TASK_COUNTERS) return 1 + std::size_t{2} * *event.payload;
  if (event.kind == FORETASK_EVENT_TASK_KERNEL) return 2 + std::size_t{2} * event.payload[1];
  if (event.kind == FORETASK_EVENT_KERNEL_SAMPLE) return 4 + std::size_t{2} * event.payload[3];
  if (event.kind == FORETASK_EVENT_ACCESSES) return 1 + std::size_t{5} * *event.payload;
  return kPayloadWords[event.kind];
}

inline std::vector<SeenEvent> events_of(trace::StreamReader& reader) {
  std::vector<SeenEvent> events;
  for (trace::Event event; reader.next(event);)
    events.push_back({event.kind, event.ticks, {event.payload, event.payload + payload_size(event)}});
  return events;
}

inline std::vector<SeenEvent> events_of(const std::vector<std::uint8_t>& bytes) {
  trace::StreamReader reader = trace::StreamReader::from_memory(bytes.data(), bytes.size());
  return events_of(reader);
}

}  // namespace foretask::test
