// SPDX-License-Identifier: Apache-2.0
#include "trace/stream_reader.hpp"

#include <set>

#include "catch.hpp"
#include "unit/base/temp_folder.hpp"
#include "unit/trace/every_event.hpp"

using foretask::test::events_of;
using foretask::test::EveryEvent;
using foretask::test::StreamBytes;
using foretask::trace::StreamReader;

TEST_CASE("a stream written by the format's description is read event by event") {
  const EveryEvent every;
  std::set<std::uint32_t> kinds;
  for (const auto& event : every.events) kinds.insert(event.kind);
  REQUIRE(kinds.size() == FORETASK_EVENT_KINDS - 2);  // 0 is free space, 31 the extended header
  const auto bytes = every.stream.bytes();
  SECTION("from memory") {
    StreamReader reader = StreamReader::from_memory(bytes.data(), bytes.size());
    CHECK(events_of(reader) == every.events);
    CHECK(reader.packets_read() == 3);
    CHECK_FALSE(reader.damage().any());
    CHECK(reader.position_bytes() == reader.size_bytes());
    reader.rewind();
    CHECK(events_of(reader) == every.events);
    CHECK(reader.packets_read() == 3);
    CHECK_FALSE(reader.damage().any());
  }
  SECTION("from a file") {
    const foretask::test::TempFolder folder;
    foretask::test::write_content(folder / "stream", {bytes.begin(), bytes.end()});
    StreamReader reader = StreamReader::open(folder / "stream", {}).value();
    CHECK(events_of(reader) == every.events);
    CHECK_FALSE(reader.damage().any());
  }
}

TEST_CASE("the reader says which packet an event came from") {
  StreamBytes stream(3, 50);
  stream.event(60, FORETASK_EVENT_TASK_CREATE, {1});
  stream.event(61, FORETASK_EVENT_REGION_BEGIN, {2, 1});
  stream.event(62, FORETASK_EVENT_CODE_HIGH, {9});
  stream.discarded = 17;
  stream.new_packet();
  stream.event(70, FORETASK_EVENT_TASK_CREATE, {1});
  const auto bytes = stream.bytes();
  StreamReader reader = StreamReader::from_memory(bytes.data(), bytes.size());
  foretask::trace::Event event;
  REQUIRE(reader.next(event));
  CHECK(reader.packets_read() == 1);
  CHECK(reader.head().stream == 3);
  CHECK(reader.head().timestamp_begin == 50);
  CHECK(reader.head().first_task == 0);
  CHECK(reader.head().first_region == 0);
  CHECK(reader.head().code_high == 0);
  CHECK(reader.events_discarded() == 0);
  for (int i = 0; i < 3; ++i) REQUIRE(reader.next(event));
  CHECK(reader.packets_read() == 2);
  CHECK(reader.head().timestamp_begin == 62);
  CHECK(reader.head().first_task == 1);
  CHECK(reader.head().first_region == 1);
  CHECK(reader.head().code_high == 9);
  CHECK(reader.head().sequence == 1);
  CHECK(reader.events_discarded() == 17);
  CHECK_FALSE(reader.next(event));
  CHECK_FALSE(reader.next(event));
}

TEST_CASE("short stamps complete from the one before, across 27 bits and across packets") {
  StreamBytes stream(0, (1ULL << 40) - 5);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t ticks = (1ULL << 40) - 5; ticks < (1ULL << 40) + (40ULL << 27); ticks += (1U << 27) - 12'345) {
    if (expected.size() % 7 == 6) stream.new_packet();
    stream.event(ticks, FORETASK_EVENT_TASK_END);
    expected.push_back(ticks);
  }
  std::vector<std::uint64_t> seen;
  for (const auto& event : events_of(stream.bytes())) seen.push_back(event.ticks);
  CHECK(seen == expected);
}

TEST_CASE("a long header's stamp is taken as it is, earlier than the one before too") {
  StreamBytes stream;
  stream.event(1'000, FORETASK_EVENT_TASK_END);
  stream.event(990, FORETASK_EVENT_TASK_END, {}, true);
  stream.event(995, FORETASK_EVENT_TASK_END);
  const auto events = events_of(stream.bytes());
  REQUIRE(events.size() == 3);
  CHECK(events[1].ticks == 990);
  CHECK(events[2].ticks == 995);
}

TEST_CASE("no bytes are no events and no damage") {
  StreamReader reader = StreamReader::from_memory(nullptr, 0);
  CHECK(events_of(reader).empty());
  CHECK_FALSE(reader.damage().any());
  CHECK(events_of(StreamBytes().bytes()).empty());
}

TEST_CASE("what is no file cannot be opened, and the error says which") {
  const foretask::test::TempFolder folder;
  const auto missing = StreamReader::open(folder / "missing", {});
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().message().find(folder / "missing") != std::string::npos);
  CHECK_FALSE(StreamReader::open(folder.path(), {}).ok());
}

TEST_CASE("packets of another trace are skipped when the trace is known") {
  const foretask::test::TempFolder folder;
  const EveryEvent every;
  const auto bytes = every.stream.bytes();
  foretask::test::write_content(folder / "stream", {bytes.begin(), bytes.end()});
  foretask::trace::TraceId id{};
  std::copy_n(bytes.begin() + 4, id.size(), id.begin());
  StreamReader own = StreamReader::open(folder / "stream", {.uuid = id}).value();
  CHECK(events_of(own) == every.events);
  id[15] ^= 1;
  StreamReader other = StreamReader::open(folder / "stream", {.uuid = id}).value();
  CHECK(events_of(other).empty());
  CHECK(other.damage().skipped_bytes == bytes.size());
}
