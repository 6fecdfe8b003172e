// SPDX-License-Identifier: Apache-2.0
// A whole recording through the C interface: threads that start it, open, fill and close streams, fork and end it, all
// at once. Read back, every stream holds what its thread wrote.
//
// A recording is once a process: each runs in a process of its own, this program again with one of the hidden tests.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "foretask/hook.h"
#include "trace/trace_folder.hpp"
#include "unit/base/environment_of.hpp"
#include "unit/base/temp_folder.hpp"
#include "unit/trace/events_of.hpp"

using foretask::test::EnvironmentOf;
using foretask::test::TempFolder;

namespace {

constexpr int kThreads = 8;

int start_hook() {
  foretask_hook_options options{};
  options.size = sizeof options;
  options.version = FORETASK_HOOK_VERSION;
  options.runtime = "stress";
  options.runtime_version = "1";
  return foretask_hook_start(&options);
}

template <typename Function>
void on_threads(int count, Function&& function) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(function, i);
  for (std::thread& thread : threads) thread.join();
}

// Creations on a stream, as its thread counted them.
struct Written {
  std::uint32_t stream;
  std::uint32_t before_stop;  // surely before the recording ended
  std::uint32_t at_most;
};

void tell(const std::vector<Written>& written) {
  std::ofstream file(std::getenv("STRESS_TOLD"));
  for (const Written& entry : written) file << entry.stream << ' ' << entry.before_stop << ' ' << entry.at_most << '\n';
}

std::map<std::uint32_t, Written> told(const std::string& path) {
  std::map<std::uint32_t, Written> result;
  std::ifstream file(path);
  for (Written entry{}; file >> entry.stream >> entry.before_stop >> entry.at_most;) result[entry.stream] = entry;
  return result;
}

void create(foretask_stream* stream, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    foretask_record_task_create(stream, reinterpret_cast<const void*>(&create), i % 3);
    foretask_record_0_(stream, FORETASK_EVENT_TASK_END);
  }
}

// In the forked child: nothing of the recording may be touched, and nothing may block.
[[noreturn]] void go_on_in_child(foretask_stream* stream) {
  create(stream, 1'000);
  const bool silent = foretask_stream_open() == nullptr && foretask_is_recording() == 0 && start_hook() == 0;
  foretask_hook_stop();
  foretask_stream_close(stream);
  ::_exit(silent ? 0 : 1);
}

int forked_well(foretask_stream* stream) {
  const pid_t child = ::fork();
  if (child == 0) go_on_in_child(stream);
  int status = -1;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0 ? 1 : 0;
}

// Runs the hidden test of that name as a process of its own that records into `folder`. Samples of the threads have a
// stream besides the threads' own.
int run_recorded(const std::string& test, const TempFolder& folder, const std::string& max_bytes = "0",
                 const std::string& samples = "0") {
  const EnvironmentOf environment({{"FORETASK", "record"},
                                   {"FORETASK_OUT", folder / "run"},
                                   {"FORETASK_MAX_BYTES", max_bytes},
                                   {"FORETASK_SAMPLES", samples}});
  ::setenv("STRESS_TOLD", (folder / "told").c_str(), 1);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/proc/self/exe", "stress_tests", test.c_str(), nullptr);
    ::_exit(127);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

struct Seen {
  std::uint64_t creations = 0;
  std::uint64_t events = 0;
};

Seen seen_in(foretask::trace::StreamReader& reader) {
  Seen seen;
  for (foretask::trace::Event event; reader.next(event); ++seen.events)
    seen.creations += event.kind == FORETASK_EVENT_TASK_CREATE || event.kind == FORETASK_EVENT_TASK_CREATE_FAR ||
                              event.kind == FORETASK_EVENT_TASK_CREATE_FLAGGED
                          ? 1
                          : 0;
  return seen;
}

}  // namespace

TEST_CASE("recorded: threads come and go and fork and outlive the recording", "[.]") {
  std::atomic<int> started{0};
  on_threads(4, [&](int) { started += start_hook(); });
  REQUIRE(started == 4);
  REQUIRE(foretask_is_recording() == 1);

  std::vector<Written> written(3 * kThreads);
  std::atomic<int> forked{0};
  std::atomic<int> in_last_stream{0};
  std::atomic<bool> stopped{false};
  std::thread stopper([&] {
    while (in_last_stream < kThreads) std::this_thread::yield();
    on_threads(3, [](int) { foretask_hook_stop(); });
    stopped = true;
  });
  on_threads(kThreads, [&](int thread) {
    // Two streams from beginning to end, of a packet and of some, then one that the recording's end interrupts.
    for (const std::uint32_t count : {500U, 40'000U}) {
      foretask_stream* stream = foretask_stream_open();
      written[static_cast<std::size_t>(thread * 3 + (count > 500 ? 1 : 0))] = {stream->index, count, count};
      create(stream, count / 2);
      if (thread < 3) forked += forked_well(stream);
      create(stream, count - count / 2);
      foretask_stream_close(stream);
    }
    foretask_stream* stream = foretask_stream_open();
    create(stream, 1'000);
    Written& last = written[static_cast<std::size_t>(thread * 3 + 2)];
    last = {stream->index, 1'000, 1'000};
    ++in_last_stream;
    while (!stopped) {
      create(stream, 100);
      last.at_most += 100;
    }
    create(stream, 100);
    if (thread % 2 == 0) foretask_stream_close(stream);
  });
  stopper.join();
  CHECK(forked == 2 * 3);
  CHECK(foretask_is_recording() == 0);
  CHECK(foretask_stream_open() == nullptr);
  CHECK(start_hook() == 0);
  tell(written);
}

TEST_CASE("a recording holds what every thread wrote, whoever forked or ended it meanwhile") {
  const TempFolder folder;
  REQUIRE(run_recorded("recorded: threads come and go and fork and outlive the recording", folder) == 0);
  const auto written = told(folder / "told");
  REQUIRE(written.size() == 3 * kThreads);
  auto trace = foretask::trace::open_trace_folder(folder / "run");
  REQUIRE(trace.ok());
  CHECK(trace->warnings.empty());
  CHECK(trace->run.state == "complete");
  CHECK(trace->run.streams == 3 * kThreads);
  CHECK(trace->run.dropped_events == 0);
  REQUIRE(trace->streams.size() == written.size());
  for (std::uint32_t index = 0; index < trace->streams.size(); ++index) {
    const Seen seen = seen_in(trace->streams[index]);
    CAPTURE(index);
    CHECK(seen.creations >= written.at(index).before_stop);
    CHECK(seen.creations <= written.at(index).at_most);
    CHECK_FALSE(trace->streams[index].damage().any());
  }
}

TEST_CASE("recorded: threads that several others end the recording of", "[.]") {
  REQUIRE(start_hook() == 1);
  std::atomic<bool> stopped{false};
  std::thread stopper([&] {
    // Samples come by time on a core, which a loaded machine gives late.
    const std::clock_t from = std::clock();
    while (std::clock() - from < CLOCKS_PER_SEC / 2) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    on_threads(3, [](int) { foretask_hook_stop(); });
    stopped = true;
  });
  on_threads(kThreads, [&](int) {
    foretask_stream* const stream = foretask_stream_open();
    volatile std::uint32_t steps = 0;
    while (!stopped) {
      create(stream, 1);
      for (int i = 0; i < 10'000; ++i) steps = steps + 1;  // where only the program's own code is sampled
    }
    foretask_stream_close(stream);
  });
  stopper.join();
}

TEST_CASE("whoever ends a recording, its description counts the samples that it has") {
  const TempFolder folder;
  REQUIRE(run_recorded("recorded: threads that several others end the recording of", folder, "0", "1") == 0);
  auto trace = foretask::trace::open_trace_folder(folder / "run");
  REQUIRE(trace.ok());
  CHECK(trace->run.state == "complete");
  std::uint64_t samples = 0;
  for (foretask::trace::StreamReader& stream : trace->streams)
    for (foretask::trace::Event event; stream.next(event);) samples += event.kind == FORETASK_EVENT_CODE_SAMPLE ? 1 : 0;
  CHECK(samples == trace->run.code_sampling.samples);
  CHECK((samples != 0 || !trace->run.code_sampling.reason.empty()));
}

TEST_CASE("recorded: more than the limit from many threads with forks", "[.]") {
  REQUIRE(start_hook() == 1);
  std::vector<Written> written(kThreads);
  std::atomic<int> forked{0};
  std::atomic<int> opened{0};
  on_threads(kThreads, [&](int thread) {
    foretask_stream* stream = foretask_stream_open();
    ++opened;
    // The first packets of all fit: none is refused because others were quicker.
    while (opened < kThreads) std::this_thread::yield();
    constexpr std::uint32_t kTasks = 30'000;
    create(stream, kTasks);
    if (thread < 2) forked += forked_well(stream);  // of a stream that may have been stopped by the limit
    written[static_cast<std::size_t>(thread)] = {stream->index, kTasks, kTasks};
    foretask_stream_close(stream);
  });
  foretask_hook_stop();
  CHECK(forked == 2);
  tell(written);
}

TEST_CASE("past the limit of bytes every event is either in the recording or counted as dropped") {
  const TempFolder folder;
  REQUIRE(run_recorded("recorded: more than the limit from many threads with forks", folder, "2M") == 0);
  const auto written = told(folder / "told");
  REQUIRE(written.size() == kThreads);
  auto trace = foretask::trace::open_trace_folder(folder / "run");
  REQUIRE(trace.ok());
  CHECK(trace->run.loss_reason == "FORETASK_MAX_BYTES is reached");
  std::uint64_t wrote = 0;
  std::uint64_t kept = 0;
  for (std::uint32_t index = 0; index < trace->streams.size(); ++index) {
    wrote += 2 * written.at(index).at_most + 2;  // with the thread's begin and end
    for (const auto& event : foretask::test::events_of(trace->streams[index]))
      kept += event.kind == FORETASK_EVENT_TOOL_TIME || event.kind == FORETASK_EVENT_CODE_HIGH ||
                      event.kind == FORETASK_EVENT_THREAD_TIMES
                  ? 0
                  : 1;
  }
  CHECK(trace->run.dropped_events > 0);
  CHECK(kept + trace->run.dropped_events == wrote);
}
