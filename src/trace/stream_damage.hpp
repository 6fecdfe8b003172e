// SPDX-License-Identifier: Apache-2.0
// What could not be read of a stream, in numbers and in words.
#pragma once

#include <cstdint>
#include <string>

namespace foretask::trace {

struct StreamDamage {
  std::uint64_t skipped_bytes = 0;      // that are no packet, or no event
  std::uint64_t lost_packets = 0;       // gaps in the packets' numbering
  std::uint64_t broken_packets = 0;     // whose events end in nonsense
  std::uint64_t damaged_packets = 0;    // whose checksum does not match; none of their events is used
  std::uint64_t first_damaged = 0;      // the number of the first of those
  std::uint64_t mistimed_packets = 0;   // with a time stamp outside the run, or far behind the one before
  std::uint64_t repeated_packets = 0;   // that were read before, by their numbers
  std::uint64_t misplaced_packets = 0;  // of another stream
  bool cut = false;                     // the file ends inside a packet
  [[nodiscard]] bool any() const noexcept {
    return skipped_bytes != 0 || lost_packets != 0 || broken_packets != 0 || damaged_packets != 0 ||
           mistimed_packets != 0 || repeated_packets != 0 || misplaced_packets != 0 || cut;
  }
};

// A sentence for the user; empty where nothing is damaged.
[[nodiscard]] std::string damage_text(std::uint32_t stream, const StreamDamage& damage);

}  // namespace foretask::trace
