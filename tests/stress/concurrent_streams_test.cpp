// SPDX-License-Identifier: Apache-2.0
// Threads that open, fill and close streams at once, through the functions that a runtime's hook calls.
#include <atomic>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "foretask/hook.h"
#include "runtime/recording/session.hpp"
#include "unit/base/temp_folder.hpp"
#include "unit/trace/events_of.hpp"

namespace runtime = foretask::runtime;
using foretask::test::TempFolder;

namespace {

constexpr int kThreads = 8;
constexpr std::uint32_t kTasks = 30'000;  // some three packets

// Creations and ends, as a hook records them.
void append_tasks(foretask_stream* stream, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t name = foretask_record_task_create(stream, reinterpret_cast<const void*>(&append_tasks), 0);
    foretask_record_task_switch(stream, name);
    foretask_record_0_(stream, FORETASK_EVENT_TASK_END);
  }
}

// A stream's first names the module that its code is in.
bool creates_task(std::uint32_t kind) {
  return kind == FORETASK_EVENT_TASK_CREATE || kind == FORETASK_EVENT_TASK_CREATE_FAR;
}

std::uint64_t creations_in(const std::string& path) {
  auto reader = foretask::trace::StreamReader::open(path, {}).value();
  std::uint64_t count = 0;
  for (const auto& event : foretask::test::events_of(reader)) count += creates_task(event.kind) ? 1 : 0;
  CHECK_FALSE(reader.damage().any());
  return count;
}

}  // namespace

TEST_CASE("threads that record at once lose nothing and do not mix") {
  const TempFolder folder;
  runtime::Session session(folder.path(), {}, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&session] {
      runtime::WorkerStream* stream = session.open_stream();
      append_tasks(stream->view(), kTasks);
      session.close_stream(stream);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(session.losses().dropped_events == 0);
  for (int i = 0; i < kThreads; ++i) CHECK(creations_in(folder.path() + "/stream_" + std::to_string(i)) == kTasks);
}

TEST_CASE("a recording that ends while threads append keeps what was written and stays readable") {
  const TempFolder folder;
  runtime::Session session(folder.path(), {}, 0);
  std::atomic<int> opened = 0;
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      runtime::WorkerStream* stream = session.open_stream();
      append_tasks(stream->view(), 100);
      ++opened;
      while (!done) append_tasks(stream->view(), 100);
    });
  while (opened < kThreads) std::this_thread::yield();
  session.stop(nullptr);
  CHECK(session.open_stream() == nullptr);
  done = true;
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kThreads; ++i) CHECK(creations_in(folder.path() + "/stream_" + std::to_string(i)) >= 100);
}

TEST_CASE("the limit of bytes holds when many streams reach it together, and every loss is counted") {
  const TempFolder folder;
  constexpr std::uint64_t kLimit = 2 << 20;
  runtime::Session session(folder.path(), {}, kLimit);
  std::atomic<int> opened = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      runtime::WorkerStream* stream = session.open_stream();
      ++opened;
      // The first packets of all fit: none is refused because others were quicker.
      while (opened < kThreads) std::this_thread::yield();
      append_tasks(stream->view(), kTasks);
    });
  for (std::thread& thread : threads) thread.join();
  std::uint64_t created = 0;
  std::uint64_t events = 0;
  for (int i = 0; i < kThreads; ++i) {
    auto reader = foretask::trace::StreamReader::open(folder.path() + "/stream_" + std::to_string(i), {}).value();
    for (const auto& event : foretask::test::events_of(reader)) {
      created += creates_task(event.kind) ? 1 : 0;
      events += event.kind == FORETASK_EVENT_TOOL_TIME || event.kind == FORETASK_EVENT_CODE_HIGH ? 0 : 1;
    }
  }
  CHECK(created < std::uint64_t{kThreads} * kTasks);
  CHECK(session.losses().reason == runtime::StopReason::kByteLimit);
  CHECK(session.losses().dropped_events + events == std::uint64_t{kThreads} * kTasks * 3);
}
