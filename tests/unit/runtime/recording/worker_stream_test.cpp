// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/worker_stream.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "catch.hpp"
#include "trace/event_table.hpp"
#include "unit/base/temp_folder.hpp"
#include "unit/trace/events_of.hpp"
#include "unit/trace/stream_bytes.hpp"

namespace runtime = foretask::runtime;
namespace trace = foretask::trace;
using foretask::test::events_of;
using foretask::test::SeenEvent;
using foretask::test::TempFolder;
using runtime::ByteBudget;
using runtime::StopReason;
using runtime::WorkerStream;

namespace {

constexpr trace::TraceId kId = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

struct Fixture {
  explicit Fixture(std::uint64_t max_bytes = 0, std::uint32_t index = 0)
      : budget(max_bytes), writer(index, kId, budget), path(folder / "stream") {
    opened = writer.open(path);
    stream = writer.view();
  }
  foretask::trace::StreamReader reader() const {
    return foretask::trace::StreamReader::open(path, {.uuid = kId, .number = stream->index}).value();
  }

  TempFolder folder;
  ByteBudget budget;
  WorkerStream writer;
  std::string path;
  bool opened = false;
  foretask_stream* stream = nullptr;
};

// The kinds and payloads, without the stamps and what the library adds of itself.
std::vector<SeenEvent> without_stamps(std::vector<SeenEvent> events) {
  for (SeenEvent& event : events) event.ticks = 0;
  std::erase_if(events, [](const SeenEvent& event) { return event.kind == FORETASK_EVENT_TOOL_TIME; });
  return events;
}

void* code_at(std::uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

TEST_CASE("every event that a hook writes is read back as it was written") {
  Fixture f(0, 4);
  REQUIRE(f.opened);
  foretask_stream* s = f.stream;
  const std::uint64_t addresses[] = {0x1122334455667788, 0x99aabbccddeeff00};
  const std::uint32_t kinds[] = {FORETASK_DEPENDENCE_IN, FORETASK_DEPENDENCE_MUTEXINOUTSET};
  CHECK(foretask_record_implicit_begin(s, 0, 1, 0) == 0x5'00000000);
  CHECK(foretask_record_region_begin(s, code_at(0x7fff'00001000), 8) == 0x5'00000000);
  CHECK(foretask_record_implicit_begin(s, 0x5'00000000, 8, 3) == 0x5'00000001);
  CHECK(foretask_record_task_create(s, code_at(0x7fff'00002000), 0) == 0x5'00000002);
  CHECK(foretask_record_task_create(s, code_at(0x7ffe'00003000), FORETASK_TASK_HAS_DEPENDENCES) == 0x5'00000003);
  foretask_record_dependences(s, addresses, kinds, 2);
  foretask_record_task_switch(s, 0x5'00000002);
  foretask_record_task_switch(s, 0x9'00000007);
  for (const std::uint32_t kind :
       {FORETASK_EVENT_TASK_END, FORETASK_EVENT_TASK_DETACH, FORETASK_EVENT_WAIT_BEGIN, FORETASK_EVENT_WAIT_END,
        FORETASK_EVENT_GROUP_BEGIN, FORETASK_EVENT_GROUP_WAIT, FORETASK_EVENT_GROUP_END, FORETASK_EVENT_BARRIER_BEGIN,
        FORETASK_EVENT_BARRIER_END, FORETASK_EVENT_THREAD_END})
    foretask_record_0_(s, kind);
  foretask_record_named_(s, FORETASK_EVENT_TASK_FULFILL, 0x9'00000008);
  foretask_record_named_(s, FORETASK_EVENT_DEPEND_WAIT_END, 0x5'00000003);
  foretask_record_lock_wait(s, 0xabcdef0123456789, 5);
  foretask_record_lock_(s, FORETASK_EVENT_LOCK_ACQUIRED, 0xabcdef0123456789);
  foretask_record_lock_(s, FORETASK_EVENT_LOCK_RELEASED, 0xabcdef0123456789);
  foretask_record_named_(s, FORETASK_EVENT_IMPLICIT_END, 0x5'00000001);
  foretask_record_named_(s, FORETASK_EVENT_REGION_END, 0x5'00000000);
  foretask_record_2_(s, FORETASK_EVENT_THREAD_BEGIN, 4711, 1);
  f.writer.close();

  const std::uint32_t none = FORETASK_INITIAL_REGION;
  const std::vector<SeenEvent> expected = {
      {FORETASK_EVENT_IMPLICIT_BEGIN, 0, {none, none, 1, 0}},
      {FORETASK_EVENT_CODE_HIGH, 0, {0x7fff}},
      {FORETASK_EVENT_REGION_BEGIN, 0, {0x1000, 8}},
      {FORETASK_EVENT_IMPLICIT_BEGIN, 0, {0, 4, 8, 3}},
      {FORETASK_EVENT_TASK_CREATE, 0, {0x2000}},
      {FORETASK_EVENT_CODE_HIGH, 0, {0x7ffe}},
      {FORETASK_EVENT_TASK_CREATE_FLAGGED, 0, {0x3000, 16}},
      {FORETASK_EVENT_DEPENDENCES, 0, {2, 0x55667788, 0x11223344, 1, 0xddeeff00, 0x99aabbcc, 4}},
      {FORETASK_EVENT_TASK_SWITCH_OWN, 0, {2}},
      {FORETASK_EVENT_TASK_SWITCH, 0, {7, 8}},
      {FORETASK_EVENT_TASK_END, 0, {}},
      {FORETASK_EVENT_TASK_DETACH, 0, {}},
      {FORETASK_EVENT_WAIT_BEGIN, 0, {}},
      {FORETASK_EVENT_WAIT_END, 0, {}},
      {FORETASK_EVENT_GROUP_BEGIN, 0, {}},
      {FORETASK_EVENT_GROUP_WAIT, 0, {}},
      {FORETASK_EVENT_GROUP_END, 0, {}},
      {FORETASK_EVENT_BARRIER_BEGIN, 0, {}},
      {FORETASK_EVENT_BARRIER_END, 0, {}},
      {FORETASK_EVENT_THREAD_END, 0, {}},
      {FORETASK_EVENT_TASK_FULFILL, 0, {8, 8}},
      {FORETASK_EVENT_DEPEND_WAIT_END, 0, {3, 4}},
      {FORETASK_EVENT_LOCK_WAIT, 0, {0x23456789, 0xabcdef01, 5}},
      {FORETASK_EVENT_LOCK_ACQUIRED, 0, {0x23456789, 0xabcdef01}},
      {FORETASK_EVENT_LOCK_RELEASED, 0, {0x23456789, 0xabcdef01}},
      {FORETASK_EVENT_IMPLICIT_END, 0, {1, 4}},
      {FORETASK_EVENT_REGION_END, 0, {0, 4}},
      {FORETASK_EVENT_THREAD_BEGIN, 0, {4711, 1}},
  };
  auto reader = f.reader();
  CHECK(without_stamps(events_of(reader)) == expected);
  CHECK_FALSE(reader.damage().any());
  CHECK(reader.head().stream == 4);
  CHECK(reader.head().code_high == 0);
}

TEST_CASE("a group and its first task have one time stamp where both fit, else nothing is recorded") {
  Fixture f(0, 4);
  std::uint64_t name = 0;
  // The upper half of the code is not the stream's yet, and then a kernel is to be recorded with the task.
  CHECK_FALSE(foretask_try_task_create_(f.stream, code_at(0x7fff'00001000), 1, &name));
  CHECK(foretask_record_task_create(f.stream, code_at(0x7fff'00001000), 0) == 0x5'00000000);
  f.stream->has_next_task = 1;
  CHECK_FALSE(foretask_try_task_create_(f.stream, code_at(0x7fff'00002000), 0, &name));
  f.stream->has_next_task = 0;
  if (f.stream->clock_is_tsc == 0) return;
  REQUIRE(foretask_try_task_create_(f.stream, code_at(0x7fff'00002000), 1, &name));
  CHECK(name == 0x5'00000001);
  while (foretask_stream_ticks(f.stream) == f.stream->last_ticks) continue;  // some clocks advance in steps
  REQUIRE(foretask_try_task_create_(f.stream, code_at(0x7fff'00003000), 0, &name));
  CHECK(name == 0x5'00000002);
  f.writer.close();
  auto reader = f.reader();
  const auto events = events_of(reader);
  CHECK(without_stamps(events) == std::vector<SeenEvent>{{FORETASK_EVENT_TASK_CREATE_FAR, 0, {0x1000, 0x7fff}},
                                                         {FORETASK_EVENT_GROUP_BEGIN, 0, {}},
                                                         {FORETASK_EVENT_TASK_CREATE, 0, {0x2000}},
                                                         {FORETASK_EVENT_TASK_CREATE, 0, {0x3000}}});
  REQUIRE(events.size() == 4);
  CHECK(events[1].ticks == events[2].ticks);
  CHECK(events[2].ticks < events[3].ticks);
}

TEST_CASE("a task's end and its parameter are read back, and have one time stamp where both fit") {
  Fixture f(0, 4);
  f.stream->last_ticks = 0;  // the long way: a compact stamp cannot tell the time since then
  foretask_record_task_end_with(f.stream, 0, 1.5);
  foretask_record_task_end_with(f.stream, 7, -2);
  foretask_record_task_end_with(nullptr, 0, 1);
  const bool is_tsc = f.stream->clock_is_tsc != 0;
  f.writer.close();
  auto reader = f.reader();
  const auto events = events_of(reader);
  CHECK(without_stamps(events) == std::vector<SeenEvent>{{FORETASK_EVENT_TASK_PARAMETER, 0, {0, 0, 0x3ff80000}},
                                                         {FORETASK_EVENT_TASK_END, 0, {}},
                                                         {FORETASK_EVENT_TASK_PARAMETER, 0, {7, 0, 0xc0000000}},
                                                         {FORETASK_EVENT_TASK_END, 0, {}}});
  REQUIRE(events.size() == 4);
  CHECK(events[1].ticks <= events[2].ticks);
  if (is_tsc) CHECK(events[2].ticks == events[3].ticks);
}

TEST_CASE("appending to no stream does nothing and names nothing") {
  CHECK(foretask_record_task_create(nullptr, nullptr, 0) == 0);
  CHECK(foretask_record_region_begin(nullptr, nullptr, 1) == 0);
  CHECK(foretask_record_implicit_begin(nullptr, 0, 1, 0) == 0);
  foretask_record_task_switch(nullptr, 1);
  foretask_record_lock_wait(nullptr, 1, 1);
  foretask_record_dependences(nullptr, nullptr, nullptr, 0);
  foretask_record_0_(nullptr, FORETASK_EVENT_TASK_END);
}

TEST_CASE("stamps lie between the clock's readings around them, after a long gap too") {
  Fixture f;
  const auto before = foretask_stream_ticks(f.stream);
  foretask_record_0_(f.stream, FORETASK_EVENT_WAIT_BEGIN);
  const auto between = foretask_stream_ticks(f.stream);
  // Longer than 2^27 ticks of any counter below 13 GHz.
  const double seconds = f.stream->clock_is_tsc != 0 ? 0.15 : 0.0;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  // As if the event before had been 2^27 ticks and more ago, where the clock is too slow to wait for it.
  if (f.stream->clock_is_tsc == 0) f.stream->last_ticks -= FORETASK_COMPACT_TICKS;
  foretask_record_1_(f.stream, FORETASK_EVENT_CODE_HIGH, 7);
  const auto after = foretask_stream_ticks(f.stream);
  foretask_record_0_(f.stream, FORETASK_EVENT_WAIT_END);
  f.writer.close();
  auto reader = f.reader();
  const auto events = events_of(reader);
  REQUIRE(events.size() == 3);
  CHECK(events[0].ticks >= before);
  CHECK(events[0].ticks <= between);
  CHECK(events[1].ticks >= between);
  CHECK(events[1].ticks <= after);
  CHECK(events[1].payload == std::vector<std::uint32_t>{7});
  CHECK(events[2].ticks >= after);
  // Only the second needs the long header: 4 + (16 + 4) + 4 bytes.
  CHECK(std::filesystem::file_size(f.path) == sizeof(trace::PacketHead) + 32);
}

TEST_CASE("a stream's stamps do not run back where the thread's next processor is behind") {
  Fixture f;
  foretask_record_0_(f.stream, FORETASK_EVENT_WAIT_BEGIN);
  // As if the processor of that event had been a million ticks ahead of this one.
  f.stream->last_ticks += 1'000'000;
  const std::uint64_t ahead = f.stream->last_ticks;
  foretask_record_0_(f.stream, FORETASK_EVENT_WAIT_END);
  CHECK(f.stream->last_ticks >= ahead);
  f.writer.close();
  auto reader = f.reader();
  const auto events = events_of(reader);
  REQUIRE(events.size() == 2);
  CHECK(events[1].ticks >= ahead);
  CHECK(events[1].ticks < ahead + 1'000'000'000);
}

TEST_CASE("another packet keeps the numbering of tasks, regions and code") {
  Fixture f;
  constexpr std::uint32_t kRounds = 30'000;
  for (std::uint32_t i = 0; i < kRounds; ++i) {
    (void)foretask_record_region_begin(f.stream, code_at(0x5'00000000ULL + i), 1);
    (void)foretask_record_implicit_begin(f.stream, 1, 1, 0);
    (void)foretask_record_task_create(f.stream, code_at(0x5'00000000ULL + i), 0);
  }
  f.writer.close();
  auto reader = f.reader();
  std::uint32_t tasks = 0;
  std::uint32_t regions = 0;
  std::uint64_t packets = 0;
  std::uint64_t tool_times = 0;
  bool agrees = true;
  for (foretask::trace::Event event; reader.next(event);) {
    if (packets != reader.packets_read()) {
      packets = reader.packets_read();
      const auto& head = reader.head();
      agrees = agrees && head.first_task == tasks && head.first_region == regions && head.sequence == packets - 1 &&
               head.code_high == (packets == 1 ? 0U : 5U);
    }
    tool_times += event.kind == FORETASK_EVENT_TOOL_TIME ? 1 : 0;
    tasks += event.kind == FORETASK_EVENT_IMPLICIT_BEGIN || event.kind == FORETASK_EVENT_TASK_CREATE ? 1 : 0;
    regions += event.kind == FORETASK_EVENT_REGION_BEGIN ? 1 : 0;
  }
  CHECK(agrees);
  CHECK(tasks == 2 * kRounds);
  CHECK(regions == kRounds);
  // 40 bytes a round in packets of 64 KiB, 256 KiB and 1 MiB. Each step of 256 KiB but the first says what it took: the
  // second packet, and four of the third.
  CHECK(packets == 3);
  CHECK(tool_times == 5);
  CHECK_FALSE(reader.damage().any());
}

TEST_CASE("at the limit of bytes a stream stops and counts what it drops") {
  Fixture f(100'000);
  constexpr int kEvents = 20'000;
  for (int i = 0; i < kEvents; ++i)
    foretask_record_1_(f.stream, FORETASK_EVENT_CODE_HIGH, static_cast<std::uint32_t>(i));
  CHECK(f.writer.stop_reason() == StopReason::kByteLimit);
  CHECK(std::filesystem::file_size(f.path) == 65'536);
  f.writer.close();
  auto reader = f.reader();
  const auto events = events_of(reader);
  CHECK(events.size() + f.writer.discarded() == kEvents);
  CHECK(f.writer.discarded() > 0);
  CHECK(reader.events_discarded() == f.writer.discarded());
  // What was kept is the beginning, without a hole.
  for (std::size_t i = 0; i < events.size(); ++i)
    if (events[i].payload[0] != i) FAIL("event " << i << " is " << events[i].payload[0]);
  // 8 bytes each, between the head's 80 and the 96 that the longest event may need.
  CHECK(events.size() == (65'536 - 88 - 288) / 8);
}

TEST_CASE("a stream that another thread stopped drops what comes, as no loss") {
  Fixture f;
  foretask_record_0_(f.stream, FORETASK_EVENT_WAIT_BEGIN);
  f.writer.stop(StopReason::kClosed);
  for (int i = 0; i < 100; ++i) foretask_record_0_(f.stream, FORETASK_EVENT_WAIT_END);
  CHECK(f.writer.discarded() == 0);
  f.writer.close();
  foretask_record_0_(f.stream, FORETASK_EVENT_WAIT_END);
  auto reader = f.reader();
  CHECK(events_of(reader).size() == 1);
}

TEST_CASE("closing trims the file to what is in it, in whole 8 bytes") {
  for (const int events : {0, 1, 2, 9'000}) {
    Fixture f;
    for (int i = 0; i < events; ++i) foretask_record_0_(f.stream, FORETASK_EVENT_TASK_END);
    f.writer.close();
    CAPTURE(events);
    CHECK(std::filesystem::file_size(f.path) ==
          sizeof(trace::PacketHead) + (static_cast<std::size_t>(events) + 1) / 2 * 8);
    auto reader = f.reader();
    CHECK(events_of(reader).size() == static_cast<std::size_t>(events));
    CHECK_FALSE(reader.damage().any());
  }
}

TEST_CASE("a packet has its checksum once it is finished, as the format's description says") {
  Fixture f;
  for (int i = 0; i < 40'000; ++i) foretask_record_0_(f.stream, FORETASK_EVENT_TASK_END);
  const auto checksum_at = [](const std::string& bytes, std::size_t packet) {
    std::uint64_t checksum = 0;
    std::memcpy(&checksum, bytes.data() + packet + 80, 8);
    return checksum;
  };
  const auto expected_at = [](const std::string& bytes, std::size_t packet) {
    std::uint64_t content_bits = 0;
    std::memcpy(&content_bits, bytes.data() + packet + 32, 8);
    std::vector<std::uint8_t> content(bytes.begin() + static_cast<std::ptrdiff_t>(packet),
                                      bytes.begin() + static_cast<std::ptrdiff_t>(packet + content_bits / 8));
    std::fill_n(content.begin() + 80, 8, std::uint8_t{0});
    return foretask::test::StreamBytes::checksum(content.data(), content.size());
  };
  constexpr std::size_t kSecond = 64 << 10;
  const std::string open = foretask::test::content_of(f.path);
  CHECK(checksum_at(open, 0) == expected_at(open, 0));
  CHECK(checksum_at(open, kSecond) == 0);
  f.writer.close();
  const std::string closed = foretask::test::content_of(f.path);
  CHECK(checksum_at(closed, 0) == checksum_at(open, 0));
  CHECK(checksum_at(closed, kSecond) == expected_at(closed, kSecond));
}

TEST_CASE("a file that is there already is not written over") {
  Fixture f;
  ByteBudget budget(0);
  WorkerStream second(1, kId, budget);
  CHECK_FALSE(second.open(f.path));
  CHECK(second.stop_reason() == StopReason::kCannotMap);
  CHECK(second.error_code() == EEXIST);
  foretask_record_0_(second.view(), FORETASK_EVENT_TASK_END);
  CHECK(second.discarded() == 1);
}

TEST_CASE("what is in a stream is there for others before it is closed") {
  Fixture f;
  for (int i = 0; i < 10; ++i) foretask_record_0_(f.stream, FORETASK_EVENT_TASK_END);
  auto reader = f.reader();
  CHECK(events_of(reader).size() == 10);
  // As a reader meets it that comes after SIGKILL: the packet's free part is no damage.
  CHECK_FALSE(reader.damage().any());
}

TEST_CASE("a forked child writes nothing, whatever had stopped the stream before") {
  const bool at_limit = GENERATE(false, true);
  Fixture f(70'000);
  for (int i = 0; i < (at_limit ? 20'000 : 10); ++i) foretask_record_0_(f.stream, FORETASK_EVENT_TASK_END);
  const std::uint64_t before = f.writer.discarded();
  const pid_t child = ::fork();
  if (child == 0) {
    f.writer.abandon();
    for (int i = 0; i < 100; ++i) foretask_record_0_(f.stream, FORETASK_EVENT_WAIT_BEGIN);
    ::_exit(f.writer.discarded() == before ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  foretask_record_0_(f.stream, FORETASK_EVENT_WAIT_END);
  f.writer.close();
  auto reader = f.reader();
  const auto events = events_of(reader);
  CHECK(events.back().kind == (at_limit ? FORETASK_EVENT_TASK_END : FORETASK_EVENT_WAIT_END));
  CHECK(f.writer.discarded() == before + (at_limit ? 1 : 0));
}

namespace {

// A stream on which what takes less than some ms is contracted.
struct ContractingFixture {
  explicit ContractingFixture(std::int64_t grain_ticks = 10'000'000) : kinds(grain_ticks) {
    writer.set_grain({.ticks = grain_ticks, .event_ticks = 0}, kinds);
    REQUIRE(writer.open(path));
    stream = writer.view();
  }
  // A task within the running one, which waits for it.
  template <typename Body>
  void run_task(Body body) {
    const std::uint64_t task = foretask_record_task_create(stream, code_at(0x1000), 0);
    foretask_record_wait_begin(stream, FORETASK_EVENT_WAIT_BEGIN);
    foretask_record_task_switch(stream, task);
    body();
    foretask_record_task_end(stream, 0);
    foretask_record_wait_end(stream, FORETASK_EVENT_WAIT_END, 0);
  }
  void nest(int depth) {
    if (depth != 0) run_task([&] { nest(depth - 1); });
  }
  struct Counted {
    std::uint64_t tasks = 0;  // contracted or not
    std::uint64_t subtrees = 0;
    std::uint64_t without_stamps = 0;
  };
  // So many as make their kind known, each of 21 tasks.
  void learn() {
    for (int i = 0; i < kLearned; ++i) run_task([&] { nest(20); });
  }
  static constexpr int kLearned = 200;

  Counted close_and_count() { return close_and_count(writer, path, 3); }
  static Counted close_and_count(WorkerStream& writer, const std::string& path, std::uint32_t number) {
    writer.close();
    auto reader = trace::StreamReader::open(path, {.uuid = kId, .number = number}).value();
    Counted counted;
    for (const SeenEvent& event : events_of(reader)) {
      if (trace::creates(event.kind) == trace::Creates::kTask) ++counted.tasks;
      if (event.kind != FORETASK_EVENT_SUBTREE) continue;
      ++counted.subtrees;
      counted.without_stamps += event.payload[5];
      for (std::size_t item = 7; item < event.payload.size(); item += 4) counted.tasks += event.payload[item + 2];
    }
    CHECK_FALSE(reader.damage().any());
    return counted;
  }

  TempFolder folder;
  std::string path = folder / "stream";
  ByteBudget budget{0};
  runtime::TaskKinds kinds;
  WorkerStream writer{3, kId, budget};
  foretask_stream* stream = nullptr;
};

}  // namespace

TEST_CASE("of tasks within tasks, more than a stream keeps in mind, each is told once") {
  ContractingFixture f;
  f.nest(200);
  for (int i = 0; i < 50; ++i) f.run_task([&] { f.nest(20); });
  const bool is_tsc = f.stream->clock_is_tsc != 0;
  const auto counted = f.close_and_count();
  CHECK(counted.tasks == 200 + 50 * 21);
  if (is_tsc) CHECK(counted.subtrees >= 50);
}

TEST_CASE("a task whose events reach into the next packet keeps them") {
  ContractingFixture f;
  constexpr std::uint64_t kTasks = 20'000;  // of 24 bytes, in packets of 64 and 256 KiB
  f.run_task([&] {
    for (std::uint64_t i = 0; i < kTasks; ++i) f.run_task([] {});
  });
  CHECK(f.close_and_count().tasks == kTasks + 1);
}

TEST_CASE("a task that ends in a forked child is not contracted there, nor after the stream is closed") {
  ContractingFixture f;
  pid_t child = -1;
  f.run_task([&] {
    f.nest(20);
    child = ::fork();
    if (child == 0) f.writer.abandon();
  });
  if (child == 0) ::_exit(0);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  foretask_record_task_switch(f.stream, foretask_record_task_create(f.stream, code_at(0x1000), 0));
  f.nest(20);
  CHECK(f.close_and_count().tasks == 21 + 21);
  foretask_record_task_end(f.stream, 0);
}

TEST_CASE("tasks within those of a kind that is known to be short are counted, and each is told once") {
  ContractingFixture f;
  f.learn();
  const bool is_tsc = f.stream->clock_is_tsc != 0;
  const auto counted = f.close_and_count();
  CHECK(counted.tasks == f.kLearned * 21);
  if (is_tsc) CHECK(counted.without_stamps > f.kLearned * 21 / 2);
}

TEST_CASE(
    "a counted task that another thread starts, or that starts after the one that it was counted in, is recorded") {
  ContractingFixture f;
  f.learn();
  if (f.stream->clock_is_tsc == 0) return;
  WorkerStream other{4, kId, f.budget};
  other.set_grain({.ticks = 10'000'000, .event_ticks = 0}, f.kinds);
  const std::string other_path = f.folder / "other";
  REQUIRE(other.open(other_path));
  std::uint64_t stolen = 0;
  std::uint64_t late = 0;
  for (int i = 0; i < 2; ++i) {  // one of them may be stamped
    f.run_task([&] {
      f.nest(5);
      stolen = foretask_record_task_create(f.stream, code_at(0x1000), 0);
      late = foretask_record_task_create(f.stream, code_at(0x1000), 0);
      foretask_record_task_switch(other.view(), stolen);
      foretask_record_task_end(other.view(), 0);
      f.nest(5);
    });
    foretask_record_task_switch(f.stream, late);
    f.nest(3);
    foretask_record_task_end(f.stream, 0);
  }
  CHECK(((stolen & FORETASK_ID_COUNTED) != 0 && (late & FORETASK_ID_COUNTED) != 0));
  const std::uint64_t on_other = ContractingFixture::close_and_count(other, other_path, 4).tasks;
  CHECK(f.close_and_count().tasks + on_other == f.kLearned * 21 + 2 * (1 + 5 + 5 + 1 + 1 + 3));
}

TEST_CASE("the first part of an untied task is no start of it, whether it is known for one or not") {
  ContractingFixture f;
  f.learn();
  const std::uint32_t before = f.stream->started_count;
  for (int i = 0; i < 130; ++i) {
    std::uint64_t around = foretask_record_task_create(f.stream, code_at(0x1000), 0);
    around = foretask_record_task_switch(f.stream, around);
    f.nest(3);
    const std::uint64_t task = foretask_record_task_create(f.stream, code_at(0x1000), 0);
    if (i == 0) {
      foretask_record_task_switch(f.stream, task);
      foretask_record_start_undone(f.stream, task, around);
    } else {
      const std::uint64_t began = foretask_stream_ticks(f.stream);
      foretask_record_first_part(f.stream, task, around, began, foretask_stream_ticks(f.stream));
    }
    foretask_record_task_switch(f.stream, task);
    f.nest(2);
    foretask_record_task_end(f.stream, 0);
    foretask_record_task_end(f.stream, 0);
    CHECK(f.stream->started_count == before);
  }
  CHECK(f.close_and_count().tasks == f.kLearned * 21 + 130 * (1 + 3 + 1 + 2));
}

TEST_CASE("another task that runs while tasks are counted is recorded, and then they are counted again") {
  ContractingFixture f;
  f.learn();
  for (int i = 0; i < 4; ++i) {
    f.run_task([&] {
      f.run_task([&] {
        // As where a wait runs what another thread has made.
        foretask_record_task_switch(f.stream, std::uint64_t{8} << 32 | static_cast<std::uint32_t>(i));
        f.nest(70);
        foretask_record_task_end(f.stream, 0);
        f.nest(3);
      });
      f.nest(3);
    });
  }
  CHECK(f.stream->started_count == 0);
  CHECK(f.stream->counting == nullptr);
  CHECK(f.stream->counted_around == nullptr);
  CHECK(f.close_and_count().tasks == f.kLearned * 21 + 4 * (2 + 70 + 3 + 3));
}

TEST_CASE("what takes longer than its kind does is counted no more") {
  constexpr std::int64_t kGrainTicks = 2'000'000;  // some 1 ms
  constexpr std::uint64_t kTasks = 100;
  ContractingFixture f(kGrainTicks);
  f.learn();
  const auto wait_ticks = [&](std::uint64_t ticks) {
    const std::uint64_t from = foretask_stream_ticks(f.stream);
    while (foretask_stream_ticks(f.stream) - from < ticks) {
    }
  };
  const std::uint32_t before = f.stream->next_task;
  for (int i = 0; i < 2; ++i)
    f.run_task([&] {
      for (std::uint64_t task = 0; task < kTasks; ++task) f.run_task([&] { wait_ticks(kGrainTicks / 10); });
    });
  // 16 are counted before the clock is looked at.
  CHECK(f.stream->next_task - before > kTasks / 2);
  CHECK(f.close_and_count().tasks == f.kLearned * 21 + 2 * (kTasks + 1));
}

TEST_CASE("a task with a wait for what it names, a lock or a region is as it is where tasks are counted") {
  ContractingFixture f;
  f.learn();
  for (int i = 0; i < 3; ++i)
    f.run_task([&] {
      const std::uint64_t task = foretask_record_task_create(f.stream, code_at(0x1000), FORETASK_TASK_HAS_DEPENDENCES);
      CHECK((task & FORETASK_ID_COUNTED) == 0);
      const std::uint64_t address = 1;
      const std::uint32_t kind = FORETASK_DEPENDENCE_OUT;
      foretask_record_dependences(f.stream, &address, &kind, 1);
      foretask_record_task_switch(f.stream, task);
      f.nest(2);
      foretask_record_task_end(f.stream, 0);
      const std::uint64_t region = foretask_record_region_begin(f.stream, code_at(0x1000), 1);
      const std::uint64_t implicit = foretask_record_implicit_begin(f.stream, region, 1, 0);
      f.nest(2);
      foretask_record_implicit_end(f.stream, implicit);
      foretask_record_region_end(f.stream, region, 0);
      f.nest(2);
    });
  // The creation of an implicit task counts as one here.
  CHECK(f.close_and_count().tasks == f.kLearned * 21 + 3 * (1 + 1 + 2 + 1 + 2 + 2));
}
