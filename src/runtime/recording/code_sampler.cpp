// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/code_sampler.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <exception>
#include <utility>

#include "base/clock.hpp"
#include "base/held_signals.hpp"
#include "base/own_process.hpp"
#include "base/own_threads.hpp"
#include "base/quiet_thread.hpp"
#include "base/run_aside.hpp"
#include "foretask/hook.h"

namespace foretask::runtime {
namespace {

// In a virtual machine a sample takes its thread some 30 us: 0.8 % of the time.
constexpr std::uint32_t kPeriodNs = 4'000'000;
constexpr long kPauseNs = 200'000'000;
// So many are kept at first, then of as many again every second one, every fourth, ...: a long run's stream stays
// small.
constexpr std::uint64_t kKeptAtEachRate = 1 << 20;

}  // namespace

void CodeSampler::start(double ticks_per_ns) noexcept {
  ticks_per_ns_ = ticks_per_ns;
  ::sem_init(&is_open_, 0, 0);
  ::sem_init(&is_over_, 0, 0);
  const base::HeldSignals held;
  const auto run_thread = [](void* self) -> void* {
    static_cast<CodeSampler*>(self)->run();
    return nullptr;
  };
  if (!base::start_quiet_thread(thread_, run_thread, this, "foretask-sample")) {
    facts_.reason = "no thread can be created";
    return;
  }
  is_running_ = true;
  while (::sem_wait(&is_open_) != 0 && errno == EINTR) {
  }
}

void CodeSampler::stop() noexcept {
  if (!base::is_own_process()) return;
  const base::HeldSignals held;
  const std::lock_guard lock(stop_mutex_);
  if (!std::exchange(is_running_, false)) return;
  ::sem_post(&is_over_);
  ::pthread_join(thread_, nullptr);
}

void CodeSampler::run() noexcept {
  if (base::run_aside([this] { follow(); })) return;
  facts_.reason = "there is no memory or no thread for it";
  ::sem_post(&is_open_);
}

// Aside: the descriptors are none of the program's.
void CodeSampler::follow() noexcept {
  bool is_told = false;
  try {
    const auto events = PerfEvents::open(kPeriodNs);
    if (events) {
      facts_.period_ns = kPeriodNs;
    } else {
      facts_.reason = events.error().message();
    }
    ::sem_post(&is_open_);
    is_told = true;
    if (!events) return;
    std::vector<CodeSample> samples;
    for (bool goes_on = true; goes_on;) {
      timespec until{};
      ::clock_gettime(CLOCK_MONOTONIC, &until);
      until.tv_nsec += kPauseNs;
      until.tv_sec += until.tv_nsec / 1'000'000'000;
      until.tv_nsec %= 1'000'000'000;
      goes_on = ::sem_clockwait(&is_over_, CLOCK_MONOTONIC, &until) != 0 && !base::are_alone();
      (*events)->read(samples);
      write(samples);
    }
    facts_.lost = (*events)->lost();
  } catch (const std::exception& problem) {
    facts_.reason = problem.what();
  }
  if (!is_told) ::sem_post(&is_open_);
  session_.close_stream(stream_);
}

void CodeSampler::write(std::vector<CodeSample>& samples) noexcept {
  // Of one thread in order of time, whichever processors it was on.
  std::sort(samples.begin(), samples.end(),
            [](const CodeSample& a, const CodeSample& b) { return a.time_ns < b.time_ns; });
  const base::ClockPair now = base::read_clock_pair();
  for (const CodeSample& sample : samples) {
    if (read_++ % keeps_one_in_ != 0) continue;
    append(sample, now);
    if (++facts_.samples % kKeptAtEachRate == 0) keeps_one_in_ *= 2;
  }
  samples.clear();
}

void CodeSampler::append(const CodeSample& sample, const base::ClockPair& now) noexcept {
  if (stream_ == nullptr) stream_ = session_.open_stream();
  if (stream_ == nullptr) return;
  foretask_stream* const stream = stream_->view();
  std::uint32_t* word = foretask_event_begin_extended_(stream, FORETASK_EVENT_CODE_SAMPLE);
  if (word == nullptr) return;
  const double ago = static_cast<double>(now.monotonic_ns - sample.time_ns) * ticks_per_ns_;
  const base::Ticks ticks = now.ticks - static_cast<base::Ticks>(std::max(0.0, ago));
  *word++ = static_cast<std::uint32_t>(ticks);
  *word++ = static_cast<std::uint32_t>(ticks >> 32);
  *word++ = sample.thread;
  *word++ = kPeriodNs * keeps_one_in_;
  *word++ = static_cast<std::uint32_t>(sample.address);
  *word++ = static_cast<std::uint32_t>(sample.address >> 32);
  foretask_event_end_(stream, word);
}

}  // namespace foretask::runtime
