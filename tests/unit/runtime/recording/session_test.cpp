// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/session.hpp"

#include <filesystem>

#include "catch.hpp"
#include "unit/base/temp_folder.hpp"
#include "unit/trace/events_of.hpp"

namespace runtime = foretask::runtime;
using foretask::test::TempFolder;
using runtime::Session;
using runtime::StopReason;

namespace {

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

TEST_CASE("the limit holds for all streams together, and the losses are added up") {
  const TempFolder folder;
  Session session(folder.path(), {}, 150'000);  // two first packets of 64 KiB, not three
  runtime::WorkerStream* first = session.open_stream();
  runtime::WorkerStream* second = session.open_stream();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(session.open_stream() == nullptr);
  CHECK(session.losses().streams_refused == 1);
  constexpr std::size_t kEvents = 20'000;  // of 4 bytes: 64 KiB hold 16,340 of them
  for (std::size_t i = 0; i < kEvents; ++i) {
    foretask_record_0_(first->view(), FORETASK_EVENT_TASK_END);
    foretask_record_0_(second->view(), FORETASK_EVENT_TASK_END);
  }
  const runtime::Losses losses = session.losses();
  CHECK(losses.dropped_events == 2 * (kEvents - (65'536 - 88 - 96) / 4));
  CHECK(losses.reason == StopReason::kByteLimit);
  session.stop(nullptr);
  CHECK(events_in(folder / "stream_0") + events_in(folder / "stream_1") + losses.dropped_events == 2 * kEvents);
}

TEST_CASE("a stream that cannot be created is refused and counted") {
  const TempFolder folder;
  Session session(folder / "nowhere", {}, 0);
  CHECK(session.open_stream() == nullptr);
  const runtime::Losses losses = session.losses();
  CHECK(losses.streams_refused == 1);
  CHECK(losses.reason == StopReason::kCannotMap);
  CHECK(losses.error_code == ENOENT);
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
