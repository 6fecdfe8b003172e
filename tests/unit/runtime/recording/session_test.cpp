// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/session.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "catch.hpp"
#include "unit/base/temp_folder.hpp"
#include "unit/trace/events_of.hpp"

namespace runtime = foretask::runtime;
using foretask::test::TempFolder;
using runtime::Session;
using runtime::StopReason;

namespace {

constexpr std::int64_t kThread = 1;

// A thread's number, which the system gives to no other one soon.
std::int64_t ended_thread() {
  std::int64_t number = 0;
  std::thread([&] { number = ::gettid(); }).join();
  while (::kill(static_cast<pid_t>(number), 0) == 0) std::this_thread::yield();
  return number;
}

std::size_t events_in(const std::string& path) {
  auto reader = foretask::trace::StreamReader::open(path, {}).value();
  return foretask::test::events_of(reader).size();
}

}  // namespace

TEST_CASE("streams are numbered in the order in which they are opened") {
  const TempFolder folder;
  Session session(folder.path(), {}, 0);
  for (std::uint32_t i = 0; i < 5; ++i) {
    runtime::WorkerStream* stream = session.open_stream();
    REQUIRE(stream);
    CHECK(stream->view()->index == i);
    CHECK(std::filesystem::exists(folder / ("stream_" + std::to_string(i))));
  }
  CHECK(session.stream_count() == 5);
  CHECK(session.losses().dropped_events == 0);
  CHECK(session.losses().streams_refused == 0);
}

TEST_CASE("thousands of streams with a few events take a page each") {
  const TempFolder folder;
  Session session(folder.path(), {}, 0);
  constexpr std::size_t kStreams = 66;
  for (std::size_t i = 0; i < kStreams; ++i) REQUIRE(session.open_stream());
  const auto bytes_of = [&](const char* stream) { return std::filesystem::file_size(folder / stream); };
  const auto page = static_cast<std::uintmax_t>(::sysconf(_SC_PAGESIZE));
  CHECK(bytes_of("stream_63") == 64 << 10);
  CHECK(bytes_of("stream_64") == page);
  // One that has more goes on as the others do.
  runtime::WorkerStream* const last = session.open_stream();
  REQUIRE(last);
  constexpr std::size_t kEvents = 20'000;  // of 4 bytes: more than a page and 64 KiB
  for (std::size_t i = 0; i < kEvents; ++i) foretask_record_0_(last->view(), FORETASK_EVENT_TASK_END);
  CHECK(bytes_of("stream_66") == page + (64 << 10) + (256 << 10));
  session.stop(last);
  auto reader = foretask::trace::StreamReader::open(folder / "stream_66", {}).value();
  std::size_t ends = 0;
  for (const auto& event : foretask::test::events_of(reader)) ends += event.kind == FORETASK_EVENT_TASK_END ? 1 : 0;
  CHECK(ends == kEvents);
  CHECK_FALSE(reader.damage().any());
}

TEST_CASE("the limit holds for all streams together, and the losses are added up") {
  const TempFolder folder;
  Session session(folder.path(), {}, 150'000);  // two first packets of 64 KiB, not three
  runtime::WorkerStream* first = session.open_stream();
  runtime::WorkerStream* second = session.open_stream();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(session.open_stream() == nullptr);  // for events that are no thread's
  CHECK(session.losses().streams_refused == 0);
  CHECK(session.open_stream(kThread) == nullptr);
  CHECK(session.losses().streams_refused == 1);
  constexpr std::size_t kEvents = 20'000;  // of 4 bytes: 64 KiB hold 16,340 of them
  for (std::size_t i = 0; i < kEvents; ++i) {
    foretask_record_0_(first->view(), FORETASK_EVENT_TASK_END);
    foretask_record_0_(second->view(), FORETASK_EVENT_TASK_END);
  }
  const runtime::Losses losses = session.losses();
  CHECK(losses.dropped_events == 2 * (kEvents - (65'536 - 88 - 288) / 4));
  CHECK(losses.reason == StopReason::kByteLimit);
  session.stop(nullptr);
  CHECK(events_in(folder / "stream_0") + events_in(folder / "stream_1") + losses.dropped_events == 2 * kEvents);
}

TEST_CASE("a stream that cannot be created is refused and counted") {
  const TempFolder folder;
  Session session(folder / "nowhere", {}, 0);
  CHECK(session.open_stream(kThread) == nullptr);
  const runtime::Losses losses = session.losses();
  CHECK(losses.streams_refused == 1);
  CHECK(losses.reason == StopReason::kCannotMap);
  CHECK(losses.error_code == ENOENT);
}

TEST_CASE("the stream of a thread that has ended goes to the next thread, which goes on where it stopped") {
  const TempFolder folder;
  Session session(folder.path(), {}, 0);
  const std::int64_t first = ended_thread();
  runtime::WorkerStream* const stream = session.open_stream(first);
  REQUIRE(stream);
  foretask_record_task_create(stream->view(), nullptr, 0);
  stream->view()->has_next_task = 1;
  CHECK(session.leave_stream(*stream, first));
  foretask_record_0_(stream->view(), FORETASK_EVENT_TASK_END);  // by a hook that has not heard of the end
  CHECK(session.take_left_stream(ended_thread()) == stream);
  CHECK(session.take_left_stream(ended_thread()) == nullptr);
  CHECK(stream->view()->has_next_task == 0);
  CHECK(foretask_record_task_create(stream->view(), nullptr, 0) == foretask_name_(stream->view(), 1));
  CHECK(session.stream_count() == 1);
  session.stop(stream);
  CHECK(events_in(folder / "stream_0") == 2);
  CHECK(session.losses().dropped_events == 0);
}

TEST_CASE("a stream is not another's while its thread is there, and the program's first thread has its own") {
  const TempFolder folder;
  Session session(folder.path(), {}, 0);
  std::int64_t here = 0;
  std::atomic<bool> may_end = false;
  std::thread thread([&] {
    here = ::gettid();
    static_cast<void>(session.leave_stream(*session.open_stream(here), here));
    while (!may_end) std::this_thread::yield();
  });
  while (session.stream_count() == 0) std::this_thread::yield();
  const std::int64_t other = ended_thread();
  CHECK(session.take_left_stream(other) == nullptr);
  runtime::WorkerStream* const second = session.open_stream(other);
  CHECK(session.stream_count() == 2);
  CHECK(session.leave_stream(*second, other));
  CHECK(session.take_left_stream(::getpid()) == nullptr);
  CHECK_FALSE(session.leave_stream(*session.open_stream(::getpid()), ::getpid()));
  CHECK(session.take_left_stream(ended_thread()) == second);
  may_end = true;
  thread.join();
  session.stop(nullptr);
  CHECK(session.stream_count() == 3);
  // What nobody has is cut to what it holds: a packet's head.
  CHECK(std::filesystem::file_size(folder / "stream_0") == 88);
}

TEST_CASE("once stopped a session opens nothing, keeps what was written and trims its caller's stream") {
  const TempFolder folder;
  Session session(folder.path(), {}, 0);
  runtime::WorkerStream* own = session.open_stream();
  runtime::WorkerStream* other = session.open_stream();
  foretask_record_0_(own->view(), FORETASK_EVENT_TASK_END);
  foretask_record_0_(other->view(), FORETASK_EVENT_TASK_END);
  session.stop(own);
  session.stop(own);
  CHECK(session.open_stream() == nullptr);
  foretask_record_0_(other->view(), FORETASK_EVENT_TASK_END);
  session.close_stream(other);
  session.close_stream(nullptr);
  CHECK(session.losses().dropped_events == 0);
  CHECK(session.losses().streams_refused == 0);
  CHECK(events_in(folder / "stream_0") == 1);
  CHECK(events_in(folder / "stream_1") == 1);
  // A packet's head and an event; of 8 bytes more where the machine took some 50 ms between the two.
  for (const char* const name : {"stream_0", "stream_1"}) {
    const auto bytes = std::filesystem::file_size(folder / name);
    CHECK((bytes == 96 || bytes == 104));
  }
}
