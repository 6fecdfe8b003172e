// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/thread_times.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/run_aside.hpp"
#include "runtime/recording/probe_cost.hpp"
#include "runtime/recording/worker_stream.hpp"
#include "trace/event_table.hpp"

namespace foretask::runtime {
namespace {

constexpr std::int64_t kPeriodNs = 250'000;
// Of an interval: with less off the cores it is not recorded.
constexpr std::uint64_t kNoticeablePart = 64;
// The system is asked after so much unknown time, then after twice as much, and so on.
constexpr std::int64_t kFirstAskNs = 4'000'000;
constexpr std::int64_t kLastAskNs = 128'000'000;

// The thread's times are no reason to map a packet: that is left to the next event. No: the recording has stopped, too,
// or this is a forked child.
bool has_room(const foretask_stream& stream) noexcept {
  return stream.cursor < __atomic_load_n(&stream.limit, __ATOMIC_RELAXED);
}

void record(foretask_stream& stream, std::uint64_t elapsed, std::uint64_t on_core, std::uint64_t waited,
            std::uint32_t flags) noexcept {
  std::array<std::uint32_t, 7> words;
  std::uint32_t* word = words.data();
  for (const std::uint64_t ticks : {elapsed, on_core, waited}) trace::put_u64(word, ticks);
  *word = flags;
  foretask_record_extended_(&stream, FORETASK_EVENT_THREAD_TIMES, words.data(), words.size());
}

}  // namespace

bool read_core_wait(std::int64_t thread, std::uint64_t& wait_ns) noexcept {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/task/%lld/schedstat", static_cast<long long>(thread));
  const base::FileDescriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return false;
  std::array<char, 96> text{};
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size <= 0) return false;
  // Time on a core, time waited for one, how often. A kernel that does not count has zeros.
  const char* const end = text.data() + size;
  std::uint64_t on_core = 0;
  const auto first = std::from_chars(text.data(), end, on_core);
  if (first.ec != std::errc() || first.ptr == end || on_core == 0) return false;
  return std::from_chars(first.ptr + 1, end, wait_ns).ec == std::errc();
}

ThreadTimes::Reading ThreadTimes::take(const foretask_stream& stream) noexcept {
  Reading reading;
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  reading.blocked = usage.ru_nvcsw;
  reading.on_core_ns = base::thread_cpu_ns();
  reading.ticks = foretask_stream_ticks(&stream);
  return reading;
}

void ThreadTimes::open(std::int64_t thread, const TimesClock& clock) noexcept {
  if (!read_core_wait(thread, wait_ns_)) return;
  thread_ = thread;
  clock_ = clock;
  ask_after_ns_ = kFirstAskNs;
}

bool ThreadTimes::pass_on(std::int64_t thread) noexcept {
  const bool is_told = thread_ != 0;
  const TimesClock clock = clock_;
  *this = ThreadTimes();
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  if (!is_told || usage.ru_nvcsw + usage.ru_nivcsw != 0) return false;
  thread_ = thread;
  clock_ = clock;
  ask_after_ns_ = kFirstAskNs;
  return true;
}

void ThreadTimes::start(foretask_stream& stream) noexcept {
  if (thread_ == 0) return;
  last_ = take(stream);
  if (thread_ == ::getpid() && clock_.launch_ticks != 0 && clock_.launch_ticks < last_.ticks) {
    // All that the thread has done so far.
    record(stream, last_.ticks - clock_.launch_ticks, clock_.to_ticks(last_.on_core_ns),
           clock_.to_ticks(static_cast<std::int64_t>(wait_ns_)), FORETASK_TIMES_BLOCKED | FORETASK_TIMES_HAS_WAITED);
  }
  stream.times_due = last_.ticks + clock_.to_ticks(kPeriodNs);
}

void ThreadTimes::read(foretask_stream& stream) noexcept {
  if (stream.times_due == 0) return;
  // Aside it is not the owner's time.
  if (!has_room(stream) || base::is_aside()) return;
  stream.times_due = 0;
  const Reading now = take(stream);
  const std::uint64_t elapsed = now.ticks > last_.ticks ? now.ticks - last_.ticks : 0;
  const std::uint64_t on_core = std::min(elapsed, clock_.to_ticks(now.on_core_ns - last_.on_core_ns));
  const std::uint64_t off = elapsed - on_core;
  const bool has_blocked = now.blocked != last_.blocked;
  last_ = now;
  if (off * kNoticeablePart < elapsed) {
    untold_ticks_ += off;
  } else {
    record(stream, elapsed, on_core, 0, has_blocked ? std::uint32_t{FORETASK_TIMES_BLOCKED} : 0U);
    if (has_blocked) unknown_ticks_ += off;
  }
  if (unknown_ticks_ >= clock_.to_ticks(ask_after_ns_) && has_room(stream)) ask_system(stream);
  stream.times_due = last_.ticks + clock_.to_ticks(kPeriodNs);
}

double ThreadTimes::measure_ns() noexcept {
  const foretask_stream clock{};
  return median_ns([&] { static_cast<void>(take(clock)); });
}

void ThreadTimes::ask_system(foretask_stream& stream) noexcept {
  const std::uint64_t before = foretask_stream_ticks(&stream);
  std::uint64_t wait_ns = 0;
  bool is_known = false;
  static_cast<void>(base::run_aside([&] { is_known = read_core_wait(thread_, wait_ns); }));
  const std::uint64_t after = foretask_stream_ticks(&stream);
  WorkerStream::of(&stream)->append_tool_time(after, after - before);
  if (is_known && wait_ns >= wait_ns_ && has_room(stream)) {
    const std::uint64_t waited = clock_.to_ticks(static_cast<std::int64_t>(wait_ns - wait_ns_));
    record(stream, 0, 0, waited - std::min(waited, untold_ticks_), FORETASK_TIMES_HAS_WAITED);
    wait_ns_ = wait_ns;
  }
  unknown_ticks_ = 0;
  untold_ticks_ = 0;
  ask_after_ns_ = std::min(2 * ask_after_ns_, kLastAskNs);
  last_ = take(stream);
}

}  // namespace foretask::runtime
