// SPDX-License-Identifier: Apache-2.0
// Streams of format version 2, whose packets have a checksum: a damaged packet is never used.
#include <algorithm>
#include <cstring>

#include "catch.hpp"
#include "trace/stream_reader.hpp"
#include "unit/trace/every_event.hpp"

using foretask::test::events_of;
using foretask::test::EveryEvent;
using foretask::test::SeenEvent;
using foretask::test::StreamBytes;
using foretask::trace::ExpectedStream;
using foretask::trace::StreamDamage;
using foretask::trace::StreamReader;

namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::size_t kHeadBytes = 88;
constexpr std::size_t kChecksumOffset = 80;

struct Read {
  std::vector<SeenEvent> events;
  StreamDamage damage;
};

Read read(const Bytes& bytes, const ExpectedStream& expected = {}) {
  StreamReader reader = StreamReader::from_memory(bytes.data(), bytes.size(), expected);
  Read result;
  result.events = events_of(reader);
  result.damage = reader.damage();
  return result;
}

// `count` packets of one event each, all 96 bytes.
Bytes packets_of_one(std::uint32_t count, std::uint32_t stream = 0, std::uint32_t version = 2) {
  StreamBytes written(stream, 1000, version);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i != 0) written.new_packet();
    written.event(1000 + i, FORETASK_EVENT_CODE_HIGH, {i});
  }
  return written.bytes();
}

std::vector<std::uint32_t> numbers(const std::vector<SeenEvent>& events) {
  std::vector<std::uint32_t> result;
  for (const SeenEvent& event : events) result.push_back(event.payload.at(0));
  return result;
}

Bytes part(const Bytes& bytes, std::size_t from, std::size_t to) {
  return {bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.begin() + static_cast<std::ptrdiff_t>(to)};
}

Bytes joined(const std::vector<Bytes>& parts) {
  Bytes all;
  for (const Bytes& one : parts) all.insert(all.end(), one.begin(), one.end());
  return all;
}

}  // namespace

TEST_CASE("a stream with checksums is read event by event") {
  const EveryEvent every(2);
  const Read whole = read(every.stream.bytes());
  CHECK(whole.events == every.events);
  CHECK_FALSE(whole.damage.any());
}

TEST_CASE("a flipped bit costs its whole packet and no other, or nothing at all") {
  const EveryEvent every(2);
  const Bytes bytes = every.stream.bytes();
  const std::size_t packets = every.packet_begin.size();
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    Bytes flipped = bytes;
    flipped[bit / 8] = static_cast<std::uint8_t>(flipped[bit / 8] ^ (1U << bit % 8));
    const Read damaged = read(flipped);
    CAPTURE(bit / 8, bit % 8);
    if (damaged.events == every.events) {
      // Free space behind a packet's content alone.
      REQUIRE_FALSE(damaged.damage.any());
      continue;
    }
    REQUIRE(damaged.damage.any());
    const auto packet =
        static_cast<std::size_t>(std::upper_bound(every.packet_begin.begin(), every.packet_begin.end(), bit / 8) -
                                 every.packet_begin.begin()) -
        1;
    std::vector<SeenEvent> others(every.events.begin(),
                                  every.events.begin() + static_cast<std::ptrdiff_t>(every.packet_events[packet]));
    if (packet + 1 < packets)
      others.insert(others.end(), every.events.begin() + static_cast<std::ptrdiff_t>(every.packet_events[packet + 1]),
                    every.events.end());
    REQUIRE(damaged.events == others);
  }
}

TEST_CASE("a packet whose checksum does not match is named by its number") {
  Bytes bytes = packets_of_one(5);
  bytes[3 * 96 + kHeadBytes + 4] ^= 1;
  const Read damaged = read(bytes);
  CHECK(numbers(damaged.events) == std::vector<std::uint32_t>{0, 1, 2, 4});
  CHECK(damaged.damage.damaged_packets == 1);
  CHECK(damaged.damage.first_damaged == 3);
  CHECK(damaged.damage.lost_packets == 0);
  CHECK(foretask::trace::damage_text(1, damaged.damage) ==
        "packet 3 of stream_1 is damaged: its checksum does not match. What can be read is used");
}

TEST_CASE("the last packet of a killed process has no checksum and is read, another one without is damaged") {
  StreamBytes killed(0, 1000, 2);
  killed.event(1000, FORETASK_EVENT_CODE_HIGH, {0});
  killed.new_packet();
  killed.event(1001, FORETASK_EVENT_CODE_HIGH, {1});
  killed.has_end = false;
  Bytes bytes = killed.bytes();
  bytes.resize(bytes.size() + 4096);  // room that was taken and not begun
  CHECK(numbers(read(bytes).events) == std::vector<std::uint32_t>{0, 1});
  CHECK_FALSE(read(bytes).damage.any());
  std::memset(bytes.data() + kChecksumOffset, 0, 8);
  const Read damaged = read(bytes);
  CHECK(numbers(damaged.events) == std::vector<std::uint32_t>{1});
  CHECK(damaged.damage.damaged_packets == 1);
}

TEST_CASE("a packet that is there twice, or of another stream, is read once or not at all") {
  for (const std::uint32_t version : {1U, 2U}) {
    CAPTURE(version);
    const Bytes own = packets_of_one(3, 0, version);
    const Bytes other = packets_of_one(1, 7, version);
    const std::size_t size = other.size();
    const Read twice = read(joined({part(own, 0, 2 * size), part(own, 0, size), part(own, 2 * size, 3 * size)}));
    CHECK(numbers(twice.events) == std::vector<std::uint32_t>{0, 1, 2});
    CHECK(twice.damage.repeated_packets == 1);
    const Read mixed = read(joined({part(own, 0, size), other, part(own, size, 3 * size)}), {.number = 0});
    CHECK(numbers(mixed.events) == std::vector<std::uint32_t>{0, 1, 2});
    CHECK(mixed.damage.misplaced_packets == 1);
  }
}

TEST_CASE("a packet of another format version than the recording's is skipped") {
  const Bytes first = packets_of_one(1, 0, 1);
  CHECK(read(first, {.format_version = 1}).events.size() == 1);
  const Read skipped = read(first, {.format_version = 2});
  CHECK(skipped.events.empty());
  CHECK(skipped.damage.skipped_bytes == first.size());
}

TEST_CASE("a time stamp outside the run ends the packet, and later packets are read") {
  StreamBytes stream(0, 1000);
  stream.event(1001, FORETASK_EVENT_CODE_HIGH, {0});
  stream.event(std::uint64_t{1} << 62, FORETASK_EVENT_CODE_HIGH, {1});
  const Read far = read(stream.bytes(), {.earliest = 900, .latest = 5000});
  CHECK(numbers(far.events) == std::vector<std::uint32_t>{0});
  CHECK(far.damage.mistimed_packets == 1);

  // A long stamp that is far behind the next packet's beginning, and one far back, in a stream without checksums.
  for (const std::uint64_t wrong : {std::uint64_t{1} << 40, std::uint64_t{5}}) {
    CAPTURE(wrong);
    StreamBytes two(0, 1 << 30);
    two.event((1 << 30) + 1, FORETASK_EVENT_CODE_HIGH, {0});
    const std::size_t at = two.size_bytes();
    two.event((1 << 30) + 2, FORETASK_EVENT_CODE_HIGH, {1}, true);
    two.new_packet();
    two.event((1 << 30) + 3, FORETASK_EVENT_CODE_HIGH, {2});
    Bytes bytes = two.bytes();
    std::memcpy(bytes.data() + at + 8, &wrong, 8);
    const Read damaged = read(bytes);
    CHECK(numbers(damaged.events) == std::vector<std::uint32_t>{0, 2});
    CHECK(damaged.damage.mistimed_packets == 1);
    CHECK(damaged.events.back().ticks == (1 << 30) + 3);
  }
}

TEST_CASE("a packet without a checksum that begins outside the run, or behind the next one, is not used") {
  for (const std::uint64_t wrong : {std::uint64_t{1}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    CAPTURE(wrong);
    Bytes bytes = packets_of_one(4, 0, 1);
    const std::size_t size = bytes.size() / 4;
    std::memcpy(bytes.data() + size + 24, &wrong, 8);
    const Read damaged = read(bytes, {.earliest = 900, .latest = std::uint64_t{1} << 50});
    CHECK(numbers(damaged.events) == std::vector<std::uint32_t>{0, 2, 3});
    CHECK(damaged.damage.mistimed_packets == 1);
  }
}

TEST_CASE("a packet's number that cannot be costs that packet, not those behind it") {
  Bytes bytes = packets_of_one(4, 0, 1);
  const std::size_t size = bytes.size() / 4;
  bytes[size + 56 + 6] = 1;
  const Read damaged = read(bytes);
  CHECK(numbers(damaged.events) == std::vector<std::uint32_t>{0, 2, 3});
  CHECK(damaged.damage.damaged_packets == 1);
  CHECK(damaged.damage.first_damaged == 1);
}
