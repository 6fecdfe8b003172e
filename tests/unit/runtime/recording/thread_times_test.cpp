// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/thread_times.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <thread>

#include "base/clock.hpp"
#include "catch.hpp"
#include "runtime/recording/worker_stream.hpp"
#include "skip.hpp"
#include "trace/event_table.hpp"
#include "unit/base/temp_folder.hpp"
#include "unit/trace/events_of.hpp"

namespace base = foretask::base;
namespace runtime = foretask::runtime;
namespace trace = foretask::trace;

namespace {

constexpr trace::TraceId kId = {1, 2, 3};
constexpr std::int64_t kNoThread = 0x7fffffff;

std::int64_t own_thread() { return syscall(SYS_gettid); }

bool is_told() {
  std::uint64_t wait_ns = 0;
  return runtime::read_core_wait(own_thread(), wait_ns);
}

runtime::TimesClock clock_of_this_machine() {
  const base::ClockPair from = base::read_clock_pair();
  while (base::monotonic_ns() - from.monotonic_ns < 5'000'000) {
  }
  const double ticks_per_ns = base::ticks_per_second(from, base::read_clock_pair()) * 1e-9;
  return {.ticks_per_ns = static_cast<std::uint64_t>(std::ldexp(ticks_per_ns, runtime::TimesClock::kBits))};
}

// What a stream has after two events between which the thread sleeps for `us`.
std::vector<foretask::test::SeenEvent> times_of_sleep(std::int64_t thread, useconds_t us) {
  const foretask::test::TempFolder folder;
  runtime::ByteBudget budget(0);
  runtime::WorkerStream stream(0, kId, budget);
  REQUIRE(stream.open(folder / "stream"));
  stream.times().open(thread, clock_of_this_machine());
  stream.times().start(*stream.view());
  foretask_record_0_(stream.view(), FORETASK_EVENT_WAIT_BEGIN);
  usleep(us);
  errno = 4711;
  foretask_record_0_(stream.view(), FORETASK_EVENT_WAIT_END);
  CHECK(errno == 4711);
  stream.close();
  auto reader = trace::StreamReader::open(folder / "stream", {.uuid = kId, .number = 0});
  auto events = foretask::test::events_of(reader.value());
  std::erase_if(events, [](const auto& event) { return event.kind != FORETASK_EVENT_THREAD_TIMES; });
  return events;
}

}  // namespace

TEST_CASE("an event after a sleep has the thread's times read: it was blocked, and not on a core") {
  if (!is_told()) FORETASK_SKIP("the system does not say how long a thread waits for a core");
  const auto events = times_of_sleep(own_thread(), 10'000);
  REQUIRE(!events.empty());
  const auto& payload = events.front().payload;
  CHECK(payload[6] == FORETASK_TIMES_BLOCKED);
  CHECK(trace::u64_at(&payload[2]) < trace::u64_at(&payload[0]));
}

TEST_CASE("after 4 ms of which it is not known the system is asked for the waits") {
  if (!is_told()) FORETASK_SKIP("the system does not say how long a thread waits for a core");
  const auto events = times_of_sleep(own_thread(), 10'000);
  REQUIRE(events.size() == 2);
  CHECK(trace::u64_at(events[1].payload.data()) == 0);
  CHECK(events[1].payload[6] == FORETASK_TIMES_HAS_WAITED);
}

TEST_CASE("where the system does not tell, nothing is recorded") {
  std::uint64_t wait_ns = 0;
  CHECK(!runtime::read_core_wait(kNoThread, wait_ns));
  CHECK(times_of_sleep(kNoThread, 2'000).empty());
}

TEST_CASE("the system is not asked of a thread that has just begun, where it told the last owner's waits") {
  if (!is_told()) FORETASK_SKIP("the system does not say how long a thread waits for a core");
  runtime::ThreadTimes told;
  told.open(own_thread(), clock_of_this_machine());
  bool is_asked_later = false;
  bool is_new_passed = false;
  // It may be moved or interrupted as soon as it has begun.
  for (int i = 0; i < 100 && !is_new_passed; ++i) {
    std::thread([&] {
      runtime::ThreadTimes times = told;
      is_new_passed = times.pass_on(own_thread());
      usleep(1000);
      times = told;
      is_asked_later = is_asked_later || !times.pass_on(own_thread());
    }).join();
  }
  CHECK(is_new_passed);
  CHECK(is_asked_later);
  runtime::ThreadTimes untold;
  bool is_untold_passed = true;
  std::thread([&] { is_untold_passed = untold.pass_on(own_thread()); }).join();
  CHECK_FALSE(is_untold_passed);
}
