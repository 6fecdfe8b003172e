// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/session.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "base/held_signals.hpp"

namespace foretask::runtime {
namespace {

// True if a thread that ends leaves its stream to another.
bool shares_streams(std::int64_t thread) noexcept { return thread != Session::kNoThread && thread != ::getpid(); }

bool has_ended(std::int64_t thread) noexcept {
  return ::syscall(SYS_tgkill, ::getpid(), static_cast<pid_t>(thread), 0) != 0 && errno == ESRCH;
}

}  // namespace

Session::Session(std::string folder, const trace::TraceId& uuid, std::uint64_t max_bytes)
    : folder_(std::move(folder)), uuid_(uuid), budget_(max_bytes) {}

void Session::set_counters(std::unique_ptr<CounterSource> source, std::uint32_t sampling) {
  counters_ = std::move(source);
  counter_sampling_ = sampling;
  auto names = std::make_unique<std::vector<std::string>>();
  for (const trace::Counter& counter : counters_->statuses())
    if (counter.status == trace::kCounterOk) names->push_back(counter.name);
  if (!names->empty()) task_counter_names.store(names.release());
}

void Session::open_counters(WorkerStream& stream) noexcept {
  if (!counters_ || counters_->count() == 0) return;
  const base::HeldSignals held;
  const std::lock_guard lock(mutex_);
  std::unique_ptr<ThreadCounters> thread = counters_->open_thread();
  if (!thread) {
    ++counter_failures_;
    return;
  }
  try {
    stream.attach_counters(
        std::make_unique<TaskCounters>(std::move(thread), counters_->count(), counter_sampling_, counter_failures_));
  } catch (const std::bad_alloc&) {
    ++counter_failures_;
  }
}

// A thread that has closed its stream may run destructors of the program's yet, and a hook's pointer to the stream is
// good until the thread is gone.
WorkerStream* Session::take_left_stream(std::int64_t thread) noexcept {
  if (!shares_streams(thread)) return nullptr;
  const base::HeldSignals held;
  const std::lock_guard lock(mutex_);
  const auto left =
      std::find_if(left_.begin(), left_.end(), [](const LeftStream& one) { return has_ended(one.thread); });
  if (left == left_.end()) return nullptr;
  WorkerStream* const stream = left->stream;
  left_.erase(left);
  stream->take_over();
  return stream;
}

void Session::set_grain(const Grain& grain) {
  grain_ = grain;
  kinds_ = std::make_unique<TaskKinds>(grain.ticks);
}

WorkerStream* Session::open_stream(std::int64_t thread) noexcept {
  const std::lock_guard lock(mutex_);
  if (stopped_) return nullptr;
  const auto index = static_cast<std::uint32_t>(streams_.size());
  static_assert(trace::kMaxStreams <= FORETASK_MOST_STREAMS);
  static_assert(((std::uint64_t{trace::kMaxStreams} + 1) << 32 & FORETASK_ID_HOOK_BITS) == 0);
  const std::uint32_t refused = thread == kNoThread ? 0 : 1;
  if (index >= trace::kMaxStreams) {
    refused_ += refused;
    return nullptr;
  }
  try {
    auto stream = std::make_unique<WorkerStream>(index, uuid_, budget_);
    if (kinds_) stream->set_grain(grain_, *kinds_);
    if (!stream->open(folder_ + "/stream_" + std::to_string(index))) {
      refused_ += refused;
      refusal_ = stream->stop_reason();
      refusal_code_ = stream->error_code();
      return nullptr;
    }
    left_.reserve(streams_.size() + 1);
    streams_.push_back(std::move(stream));
    return streams_.back().get();
  } catch (const std::bad_alloc&) {
    refused_ += refused;
    return nullptr;
  }
}

bool Session::leave_stream(WorkerStream& stream, std::int64_t thread) noexcept {
  if (!shares_streams(thread)) return false;
  const base::HeldSignals held;
  const std::lock_guard lock(mutex_);
  if (!stream.leave()) return false;
  left_.push_back({&stream, thread});
  return true;
}

void Session::close_stream(WorkerStream* stream) noexcept {
  if (!stream) return;
  const std::lock_guard lock(mutex_);
  stream->close();
}

void Session::stop(WorkerStream* own) noexcept {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  for (const LeftStream& left : left_) left.stream->close();
  left_.clear();
  for (const auto& stream : streams_) {
    if (stream.get() == own) {
      stream->close();
    } else {
      stream->stop(StopReason::kClosed);
    }
  }
}

void Session::abandon_after_fork() noexcept {
  stopped_ = true;
  for (const auto& stream : streams_) stream->abandon();
}

Losses Session::losses() {
  const std::lock_guard lock(mutex_);
  Losses result;
  result.streams_refused = refused_;
  result.reason = refusal_;
  result.error_code = refusal_code_;
  for (const auto& stream : streams_) {
    result.dropped_events += stream->discarded();
    if (stream->discarded() != 0) {
      result.reason = stream->stop_reason();
      result.error_code = stream->error_code();
    }
  }
  return result;
}

std::uint32_t Session::stream_count() {
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint32_t>(streams_.size());
}

std::vector<std::uint64_t> Session::stream_bytes() {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> bytes;
  for (const auto& stream : streams_) bytes.push_back(stream->least_bytes());
  return bytes;
}

void Session::note_thread(WorkerStream& stream, std::int64_t thread) noexcept {
  const base::HeldSignals held;
  const std::lock_guard lock(mutex_);
  stream.note_thread(thread);
}

std::vector<cpu_set_t> Session::affinities() {
  const std::lock_guard lock(mutex_);
  std::vector<cpu_set_t> affinities;
  cpu_set_t set;
  for (const auto& stream : streams_)
    if (stream->affinity(set)) affinities.push_back(set);
  return affinities;
}

}  // namespace foretask::runtime
