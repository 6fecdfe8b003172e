// SPDX-License-Identifier: Apache-2.0
// A stream's events as values that tests compare.
#pragma once

#include <cstddef>
#include <cstdint>
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

inline std::vector<SeenEvent> events_of(trace::StreamReader& reader) {
  std::vector<SeenEvent> events;
  for (trace::Event event; reader.next(event);)
    events.push_back({event.kind,
                      event.ticks,
                      {event.payload, event.payload + trace::kPayloadShapes[event.kind].size(event.payload)}});
  return events;
}

inline std::vector<SeenEvent> events_of(const std::vector<std::uint8_t>& bytes) {
  trace::StreamReader reader = trace::StreamReader::from_memory(bytes.data(), bytes.size());
  return events_of(reader);
}

}  // namespace foretask::test
