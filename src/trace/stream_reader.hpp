// SPDX-License-Identifier: Apache-2.0
// HOT: reads one stream's events in the order they were written, a packet at a time; some 5 ns an event. One thread a
// reader. Damage is skipped and counted, never trusted: a packet is used only as far as its own sizes and kinds make
// sense.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "foretask/result.hpp"
#include "trace/event_table.hpp"
#include "trace/packet.hpp"

namespace foretask::trace {

// What could not be read of a stream.
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

struct Event {
  std::uint32_t kind = 0;
  std::uint64_t ticks = 0;
  const std::uint32_t* payload = nullptr;  // valid until the next call
};

// What is known of a stream before it is read. The defaults fit any stream.
struct ExpectedStream {
  static constexpr std::uint32_t kAnyNumber = ~0U;
  trace::TraceId uuid{};                          // all zero: packets of any trace are taken
  std::uint32_t number = kAnyNumber;              // which every packet's head says
  std::uint32_t format_version = 0;               // 0: any that can be read
  std::uint64_t earliest = 0;                     // no time stamp is below this
  std::uint64_t latest = ~std::uint64_t{0} >> 1;  // or above this
};

class StreamReader {
 public:
  // Fails when the file cannot be opened. Packets that are not as expected are skipped as damage.
  [[nodiscard]] static Result<StreamReader> open(const std::string& path, const ExpectedStream& expected);

  // Reads from memory: for tests and fuzzing. `bytes` outlives the reader.
  [[nodiscard]] static StreamReader from_memory(const std::uint8_t* bytes, std::size_t size,
                                                const ExpectedStream& expected = {});

  // The next event; false at the end.
  [[nodiscard]] bool next(Event& event) noexcept {
    for (;;) {
      while (at_ >= end_)
        if (!next_packet_slow()) return false;
      if (decode(event)) [[likely]]
        return true;
      leave_broken_packet();
    }
  }

  // As if it had been opened just now, what was there then being read again.
  void rewind() noexcept;

  // Of the packet that the last event came from.
  [[nodiscard]] const trace::PacketHead& head() const noexcept { return head_; }
  // Grows by one whenever next() enters another packet.
  [[nodiscard]] std::uint64_t packets_read() const noexcept { return packets_; }
  [[nodiscard]] const StreamDamage& damage() const noexcept { return damage_; }
  [[nodiscard]] std::uint64_t events_discarded() const noexcept { return discarded_; }
  // Whether its first packet is of another trace than open() was given, and none is of that one.
  [[nodiscard]] bool is_foreign() noexcept;
  // The number in its first packet's head, where no packet has the one that is expected.
  [[nodiscard]] std::optional<std::uint32_t> other_number() noexcept;
  // Whether the first packet's checksum matches, and yet its first time stamp is not in the range expected.
  [[nodiscard]] bool contradicts_range() noexcept;
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t position_bytes() const noexcept { return offset_; }

 private:
  StreamReader() = default;
  [[nodiscard]] bool next_packet_slow() noexcept;
  [[nodiscard]] bool read_at(std::uint64_t offset, void* to, std::size_t size) noexcept;
  // A head of either version; false where the bytes end before it does.
  [[nodiscard]] bool read_head(std::uint64_t offset, trace::PacketHead& head) noexcept;
  [[nodiscard]] bool is_ours(const trace::PacketHead& head) const noexcept;
  [[nodiscard]] bool plausible(const trace::PacketHead& head) const noexcept;
  [[nodiscard]] bool find_packet(std::uint64_t& offset) noexcept;
  // Whether a packet of this stream begins there.
  [[nodiscard]] bool head_at(std::uint64_t offset, trace::PacketHead& head) noexcept;
  // Whether the packet in the buffer is to be used. Counts it as damage, and passes it, where it is not.
  [[nodiscard]] bool accept(const trace::PacketHead& head, bool whole) noexcept;
  [[nodiscard]] bool accept_unverified(const trace::PacketHead& head) noexcept;
  void skip_to_next_packet(std::uint64_t from, bool counts_bytes) noexcept;
  // Room that was taken for a packet and not begun when the process ended is no damage.
  [[nodiscard]] bool is_empty_from(std::uint64_t offset) noexcept;
  void leave_broken_packet() noexcept;

  // The event at at_; false when it makes no sense.
  [[nodiscard]] bool decode(Event& event) noexcept {
    const std::uint32_t first = *at_;
    std::uint32_t kind = first & 31U;
    const std::uint32_t* payload = at_ + 1;
    if (kind == FORETASK_EVENT_EXTENDED) [[unlikely]] {
      if (end_ - at_ < 4) return false;
      kind = at_[1];
      const std::uint64_t stamp = at_[2] | static_cast<std::uint64_t>(at_[3]) << 32;
      // Far back is as impossible as behind the run's end.
      ticks_ = stamp + kMostTicksBack < ticks_ ? kNoStamp : stamp;
      payload = at_ + 4;
    } else {
      // 27 bits of the stamp; the rest follows from the stamp before, less than 2^27 ticks ago.
      ticks_ += ((first >> 5) - static_cast<std::uint32_t>(ticks_)) & (FORETASK_COMPACT_TICKS - 1);
    }
    if (kind >= FORETASK_EVENT_KINDS || ticks_ > latest_) [[unlikely]]
      return false;
    const trace::PayloadShape shape = trace::kPayloadShapes[kind];
    std::int64_t words = shape.head_words;
    if (!shape.is_event) [[unlikely]]
      return false;
    if (shape.most_items != 0) [[unlikely]] {
      if (end_ - payload < words || payload[words - 1] > shape.most_items) return false;
      words = shape.size(payload);
    }
    if (words > end_ - payload) [[unlikely]]
      return false;
    at_ = payload + words;
    event = {kind, ticks_, payload};
    return true;
  }

  // Clocks of two processors may differ by less than this: under a millisecond.
  static constexpr std::uint64_t kMostTicksBack = 1U << 20;
  static constexpr std::uint64_t kNoStamp = ~std::uint64_t{0};

  const std::uint32_t* at_ = nullptr;
  const std::uint32_t* end_ = nullptr;
  std::uint64_t ticks_ = 0;
  std::uint64_t latest_ = 0;  // that a stamp of this packet may be
  std::vector<std::uint32_t> buffer_;
  base::FileDescriptor file_;
  const std::uint8_t* memory_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t offset_ = 0;
  trace::PacketHead head_{};
  ExpectedStream expected_;
  std::uint64_t packets_ = 0;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t discarded_ = 0;
  StreamDamage damage_;
};

}  // namespace foretask::trace
