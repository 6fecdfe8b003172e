// SPDX-License-Identifier: Apache-2.0
// Damaged streams: what can be read is read, the rest is counted, and nothing is believed that cannot be.
#include <algorithm>
#include <cstring>
#include <random>

#include "catch.hpp"
#include "trace/stream_reader.hpp"
#include "unit/trace/every_event.hpp"

using foretask::test::events_of;
using foretask::test::EveryEvent;
using foretask::test::SeenEvent;
using foretask::test::StreamBytes;
using foretask::trace::StreamDamage;
using foretask::trace::StreamReader;

namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::size_t kHeadBytes = 80;
constexpr std::size_t kPacketBitsOffset = 40;
constexpr std::size_t kTimestampOffset = 24;

struct Read {
  std::vector<SeenEvent> events;
  StreamDamage damage;
};

Read read(const Bytes& bytes) {
  StreamReader reader = StreamReader::from_memory(bytes.data(), bytes.size());
  Read result;
  result.events = events_of(reader);
  result.damage = reader.damage();
  return result;
}

std::vector<SeenEvent> range(const std::vector<SeenEvent>& events, std::size_t from, std::size_t to) {
  return {events.begin() + static_cast<std::ptrdiff_t>(from), events.begin() + static_cast<std::ptrdiff_t>(to)};
}

// `count` packets of one event each, all 88 bytes.
Bytes packets_of_one(std::uint32_t count) {
  StreamBytes stream;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i != 0) stream.new_packet();
    stream.event(i, FORETASK_EVENT_CODE_HIGH, {i});
  }
  return stream.bytes();
}

std::vector<std::uint32_t> numbers(const std::vector<SeenEvent>& events) {
  std::vector<std::uint32_t> result;
  for (const SeenEvent& event : events) result.push_back(event.payload.at(0));
  return result;
}

}  // namespace

TEST_CASE("a stream cut at any byte gives the events that are whole, and says that it is cut") {
  const EveryEvent every;
  const Bytes bytes = every.stream.bytes();
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const Read cut = read(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
    const auto whole = static_cast<std::size_t>(std::upper_bound(every.event_end.begin(), every.event_end.end(), size) -
                                                every.event_end.begin());
    CAPTURE(size);
    REQUIRE(cut.events == range(every.events, 0, whole));
    const bool between_packets =
        size == bytes.size() || std::count(every.packet_begin.begin(), every.packet_begin.end(), size) != 0;
    REQUIRE(cut.damage.cut == !between_packets);
  }
}

TEST_CASE("a flipped bit costs no event of another packet, or is counted") {
  const EveryEvent every;
  const Bytes bytes = every.stream.bytes();
  const std::size_t packets = every.packet_begin.size();
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    Bytes flipped = bytes;
    flipped[bit / 8] = static_cast<std::uint8_t>(flipped[bit / 8] ^ (1U << bit % 8));
    const Read damaged = read(flipped);
    CAPTURE(bit / 8, bit % 8);
    // No event is shorter than its first word.
    REQUIRE(damaged.events.size() <= bytes.size() / 4);
    // Without checksums it cannot be known which of two packets has the wrong time, where they contradict each other.
    if (damaged.damage.mistimed_packets != 0) continue;
    const auto packet =
        static_cast<std::size_t>(std::upper_bound(every.packet_begin.begin(), every.packet_begin.end(), bit / 8) -
                                 every.packet_begin.begin()) -
        1;
    const std::size_t before = every.packet_events[packet];
    const std::size_t after = packet + 1 < packets ? every.events.size() - every.packet_events[packet + 1] : 0;
    REQUIRE(damaged.events.size() >= before);
    REQUIRE(range(damaged.events, 0, before) == range(every.events, 0, before));
    const std::size_t at = bit / 8 - every.packet_begin[packet];
    const bool in_size = at >= kPacketBitsOffset && at < kPacketBitsOffset + 8;
    if (in_size && damaged.damage.any()) continue;
    REQUIRE(damaged.events.size() >= before + after);
    REQUIRE(range(damaged.events, damaged.events.size() - after, damaged.events.size()) ==
            range(every.events, every.events.size() - after, every.events.size()));
  }
}

TEST_CASE("a head that makes no sense costs its packet, which is counted in bytes and in packets") {
  const Bytes bytes = packets_of_one(5);
  const auto with = [&](std::size_t offset, std::uint64_t value, std::size_t size) {
    Bytes changed = bytes;
    std::memcpy(changed.data() + 2 * 88 + offset, &value, size);
    return read(changed);
  };
  const std::vector<std::uint32_t> without_third = {0, 1, 3, 4};
  for (const auto& [what, offset, value, size] :
       {std::tuple<const char*, std::size_t, std::uint64_t, std::size_t>{"magic", 0, 0xC1FC1FC0, 4},
        {"another format version", 20, 3, 4},
        {"content larger than its packet", 32, 89 * 8, 8},
        {"content smaller than its head", 32, 79 * 8, 8},
        {"content that ends within a word", 32, 86 * 8, 8},
        {"a packet smaller than its head", 40, 72 * 8, 8},
        {"a packet that ends within 8 bytes", 40, 92 * 8, 8},
        {"a packet of petabytes", 40, std::uint64_t{1} << 60, 8}}) {
    CAPTURE(what);
    const Read damaged = with(offset, value, size);
    CHECK(numbers(damaged.events) == without_third);
    CHECK(damaged.damage.skipped_bytes == 88);
    CHECK(damaged.damage.lost_packets == 1);
    CHECK_FALSE(damaged.damage.cut);
  }
}

TEST_CASE("packets that are gone are counted by their numbers") {
  const Bytes bytes = packets_of_one(6);
  Bytes without(bytes.begin(), bytes.begin() + 88);
  without.insert(without.end(), bytes.begin() + 3 * 88, bytes.end());
  const Read gap = read(without);
  CHECK(numbers(gap.events) == std::vector<std::uint32_t>{0, 3, 4, 5});
  CHECK(gap.damage.lost_packets == 2);
  CHECK(gap.damage.skipped_bytes == 0);
  CHECK(read(Bytes(bytes.begin() + 88, bytes.end())).damage.lost_packets == 1);
}

TEST_CASE("behind garbage the reader finds the next packet") {
  const Bytes bytes = packets_of_one(3);
  std::mt19937 random(1);
  for (const std::size_t garbage : {8U, 16U, 4'096U, 16'384U, 16'392U, 100'000U}) {
    Bytes damaged(bytes.begin(), bytes.begin() + 88);
    for (std::size_t i = 0; i < garbage; ++i) damaged.push_back(static_cast<std::uint8_t>(random()));
    damaged.insert(damaged.end(), bytes.begin() + 88, bytes.end());
    const Read resumed = read(damaged);
    CAPTURE(garbage);
    CHECK(numbers(resumed.events) == std::vector<std::uint32_t>{0, 1, 2});
    CHECK(resumed.damage.skipped_bytes == garbage);
    CHECK(resumed.damage.lost_packets == 0);
  }
}

TEST_CASE("a packet's events end where they turn to nonsense, and the next packet is read") {
  StreamBytes stream;
  stream.event(1, FORETASK_EVENT_CODE_HIGH, {0});
  const std::size_t at = stream.size_bytes();
  stream.event(2, FORETASK_EVENT_CODE_HIGH, {1});
  stream.event(3, FORETASK_EVENT_CODE_HIGH, {2});
  stream.new_packet();
  stream.event(4, FORETASK_EVENT_CODE_HIGH, {3});
  const Bytes bytes = stream.bytes();
  // Free space; 2^24 dependences, counters; kinds that do not exist, behind the long header.
  for (const std::uint32_t word : {0U, 20U, 30U, 31U}) {
    Bytes damaged = bytes;
    std::memcpy(damaged.data() + at, &word, 4);
    if (word == 20 || word == 30) damaged[at + 7] = 1;
    if (word == 31) damaged[at + 4] = FORETASK_EVENT_KINDS;
    const Read rest = read(damaged);
    CAPTURE(word);
    CHECK(numbers(rest.events) == std::vector<std::uint32_t>{0, 3});
    CHECK(rest.damage.broken_packets == 1);
    CHECK(rest.damage.skipped_bytes == 16);
  }
}

TEST_CASE("an event that would reach past its packet's content is none") {
  for (const std::uint32_t kind :
       {FORETASK_EVENT_IMPLICIT_BEGIN, FORETASK_EVENT_DEPENDENCES, FORETASK_EVENT_EXTENDED}) {
    StreamBytes stream;
    stream.event(1, FORETASK_EVENT_CODE_HIGH, {0});
    stream.event(2, kind, {});  // without its payload
    const Read rest = read(stream.bytes());
    CAPTURE(kind);
    CHECK(rest.events.size() == 1);
    CHECK(rest.damage.broken_packets == 1);
  }
}

TEST_CASE("room taken for a packet that was never begun is no damage") {
  const EveryEvent every;
  Bytes bytes = every.stream.bytes();
  bytes.resize(bytes.size() + 65'536);
  const Read ended = read(bytes);
  CHECK(ended.events == every.events);
  CHECK_FALSE(ended.damage.any());
  bytes.back() = 1;
  CHECK(read(bytes).damage.skipped_bytes == 65'536);
}

TEST_CASE("random bytes give no event and end") {
  std::mt19937 random(2);
  for (std::size_t size = 0; size < 3'000; size += 7) {
    Bytes bytes(size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    const Read nothing = read(bytes);
    REQUIRE(nothing.events.empty());
    REQUIRE(nothing.damage.any() == (size != 0));
  }
}
