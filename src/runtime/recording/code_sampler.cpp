// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/code_sampler.hpp"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/held_signals.hpp"
#include "base/own_process.hpp"
#include "base/own_threads.hpp"
#include "base/quiet_thread.hpp"
#include "base/run_aside.hpp"
#include "foretask/hook.h"
#include "trace/event_table.hpp"

namespace foretask::runtime {
namespace {

// In a virtual machine a sample takes its thread some 30 us: 0.8 % of the time.
constexpr std::uint32_t kPeriodNs = 4'000'000;
constexpr long kPauseNs = 200'000'000;
constexpr std::int64_t kPauseAloneNs = 2'000'000'000;
// A processor's buffer: the system lets a user have little of it, and most processes of a launch record nothing.
constexpr std::size_t kEarlyBytes = 128 << 10;
// What samples the first thread before start(): never freed, as a forked child does not have the memory.
PerfEvents* early = nullptr;
pid_t early_process = 0;
base::Ticks early_ticks = 0;

// Whether the program has a library that runs things in parallel, and so may be recorded.
bool has_runtime() noexcept {
  const auto is_runtime = [](dl_phdr_info* module, std::size_t, void*) {
    constexpr std::array kRuntimes{"libgomp", "libomp", "libiomp", "libtbb", "libstarpu", "libmpi"};
    const std::string_view path(module->dlpi_name != nullptr ? module->dlpi_name : "");
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return std::ranges::any_of(kRuntimes, [&](const char* runtime) { return name.starts_with(runtime); }) ? 1 : 0;
  };
  return ::dl_iterate_phdr(is_runtime, nullptr) != 0;
}

constexpr const char* kNoRoom = "there is no memory or no thread for it";
// So many are kept at first, then of as many again every second one, every fourth, ...: a long run's stream stays
// small.
constexpr std::uint64_t kKeptAtEachRate = 1 << 20;

}  // namespace

void CodeSampler::begin_early() noexcept {
  const char* const samples = std::getenv("FORETASK_SAMPLES");
  if ((samples != nullptr && std::string_view(samples) == "0") || !base::read_mode().mode.records || !has_runtime())
    return;
  const base::Ticks begin = base::ticks_now();
  early_process = ::getpid();
  static_cast<void>(base::run_aside([] {
    try {
      auto events = PerfEvents::open(kPeriodNs, kEarlyBytes);
      if (!events || (*events)->has_descriptors()) return;
      early = events->release();
    } catch (const std::exception&) {  // start() says why
    }
  }));
  runtime::early_ticks = base::ticks_now() - begin;
}

base::Ticks CodeSampler::early_ticks() noexcept { return early_process == ::getpid() ? runtime::early_ticks : 0; }

void CodeSampler::start(double ticks_per_ns) noexcept {
  ticks_per_ns_ = ticks_per_ns;
  pause_ticks_ = static_cast<base::Ticks>(ticks_per_ns * static_cast<double>(kPauseAloneNs));
  ::sem_init(&is_open_, 0, 0);
  ::sem_init(&is_over_, 0, 0);
  const base::HeldSignals held;
  const std::lock_guard lock(mutex_);
  is_over_now_ = false;
  // Descriptors are good in that table alone, which ends with the work: a thread of foretask's opens its own.
  bool needs_thread = false;
  const auto open_alone = [&] {
    open();
    needs_thread = events_ && events_->has_descriptors();
    if (needs_thread) events_.reset();
  };
  if (!base::run_aside(open_alone)) facts_.reason = kNoRoom;
  if (needs_thread) return start_thread_locked();
  if (events_) due_.store(base::ticks_now() + pause_ticks_, std::memory_order_relaxed);
}

void CodeSampler::start_thread() noexcept {
  if (due_.load(std::memory_order_relaxed) == kNever) return;
  const base::HeldSignals held;
  const std::lock_guard lock(mutex_);
  if (!is_over_now_ && !is_running_ && events_) start_thread_locked();
}

// Waits until the thread sleeps: else it would take a processor from the program in the first task of the caller.
void CodeSampler::start_thread_locked() noexcept {
  const auto run_thread = [](void* self) -> void* {
    static_cast<CodeSampler*>(self)->run();
    return nullptr;
  };
  const base::Ticks due = due_.exchange(kNever, std::memory_order_relaxed);
  is_running_ = base::start_quiet_thread(thread_, run_thread, this, "foretask-sample");
  if (!is_running_) {
    if (!events_) facts_.reason = "no thread can be created";
    due_.store(due, std::memory_order_relaxed);
    return;
  }
  while (::sem_wait(&is_open_) != 0 && errno == EINTR) {
  }
}

void CodeSampler::read() noexcept {
  const base::HeldSignals held;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || is_running_ || !events_) return;
  due_.store(base::ticks_now() + pause_ticks_, std::memory_order_relaxed);
  static_cast<void>(base::run_aside([this] {
    try {
      events_->read(samples_);
    } catch (const std::exception&) {  // what did not fit is lost with the buffer
    }
    write();
  }));
}

void CodeSampler::stop() noexcept {
  if (!base::is_own_process()) return;
  const base::HeldSignals held;
  const std::lock_guard lock(mutex_);
  if (std::exchange(is_over_now_, true)) return;
  due_.store(kNever, std::memory_order_relaxed);
  if (std::exchange(is_running_, false)) {
    ::sem_post(&is_over_);
    ::pthread_join(thread_, nullptr);
  } else if (events_) {
    static_cast<void>(base::run_aside([this] { finish(); }));
  }
}

void CodeSampler::run() noexcept {
  if (base::run_aside([this] { follow(); })) return;
  facts_.reason = kNoRoom;
  ::sem_post(&is_open_);
}

void CodeSampler::open() noexcept {
  if (early != nullptr && early_process == ::getpid()) {
    facts_.period_ns = kPeriodNs;
    events_.reset(std::exchange(early, nullptr));
    return;
  }
  try {
    auto events = PerfEvents::open(kPeriodNs);
    if (events) {
      facts_.period_ns = kPeriodNs;
      events_ = std::move(*events);
    } else {
      facts_.reason = events.error().message();
    }
  } catch (const std::exception& problem) {
    facts_.reason = problem.what();
  }
}

// Aside: the descriptors are none of the program's.
void CodeSampler::follow() noexcept {
  if (!events_) open();
  ::sem_post(&is_open_);
  if (!events_) return;
  try {
    for (bool goes_on = true; goes_on;) {
      timespec until{};
      ::clock_gettime(CLOCK_MONOTONIC, &until);
      until.tv_nsec += kPauseNs;
      until.tv_sec += until.tv_nsec / 1'000'000'000;
      until.tv_nsec %= 1'000'000'000;
      goes_on = ::sem_clockwait(&is_over_, CLOCK_MONOTONIC, &until) != 0 && !base::are_alone();
      events_->read(samples_);
      write();
    }
  } catch (const std::exception& problem) {
    facts_.reason = problem.what();
  }
  finish();
}

// Aside.
void CodeSampler::finish() noexcept {
  try {
    events_->read(samples_);
    write();
    facts_.lost = events_->lost();
  } catch (const std::exception& problem) {
    facts_.reason = problem.what();
  }
  events_.reset();
  session_.close_stream(stream_);
}

void CodeSampler::write() noexcept {
  // Of one thread in order of time, whichever processors it was on.
  std::sort(samples_.begin(), samples_.end(),
            [](const CodeSample& a, const CodeSample& b) { return a.time_ns < b.time_ns; });
  const base::ClockPair now = base::read_clock_pair();
  for (const CodeSample& sample : samples_) {
    if (read_++ % keeps_one_in_ != 0) continue;
    append(sample, now);
    if (++facts_.samples % kKeptAtEachRate == 0) keeps_one_in_ *= 2;
  }
  samples_.clear();
}

void CodeSampler::append(const CodeSample& sample, const base::ClockPair& now) noexcept {
  if (stream_ == nullptr && !is_refused_) {
    stream_ = session_.open_stream();
    is_refused_ = stream_ == nullptr;
  }
  if (stream_ == nullptr) return;
  foretask_stream* const stream = stream_->view();
  std::uint32_t* word = foretask_event_begin_extended_(stream, FORETASK_EVENT_CODE_SAMPLE);
  if (word == nullptr) return;
  const double ago = static_cast<double>(now.monotonic_ns - sample.time_ns) * ticks_per_ns_;
  trace::put_u64(word, now.ticks - static_cast<base::Ticks>(std::max(0.0, ago)));
  *word++ = sample.thread;
  *word++ = kPeriodNs * keeps_one_in_;
  trace::put_u64(word, sample.address);
  foretask_event_end_(stream, word);
}

}  // namespace foretask::runtime
