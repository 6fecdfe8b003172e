// SPDX-License-Identifier: Apache-2.0
#include "predict/online/learner.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <string>
#include <thread>

#include "base/held_signals.hpp"
#include "base/messages.hpp"
#include "base/own_threads.hpp"
#include "base/quiet_thread.hpp"

namespace foretask::predict {
namespace {

// Snapshots are made at most so often while samples come fast, readers then finding new memory, and so that making them
// takes one part of the time in so many: of a hundred kernels they take milliseconds.
constexpr std::int64_t kPublishEveryNs = 1'000'000;
constexpr std::int64_t kPublishShare = 5;
// Between rounds that find no samples, and between those whose samples say nothing new: each sleep is twice as long as
// the one before, up to these.
constexpr std::uint64_t kLongestSleepMs = 32;
constexpr std::uint64_t kLongestSleepOfKnownMs = 8;
// A kernel with fewer samples is new: predictions of it are waited for.
constexpr std::uint64_t kNew = 100;
// With so many samples in a round the next one begins at once.
constexpr std::size_t kBusy = 256;
// The search for terms may take this share of the learner's time.
constexpr std::int64_t kSearchShare = 20;
constexpr std::int64_t kFirstSearchesNs = 50'000'000;

}  // namespace

bool Learner::start() {
  const base::HeldSignals held;
  const std::lock_guard lock(thread_mutex_);
  if (running_) return true;
  if (ended_) return false;
  {
    const std::lock_guard wake_lock(wake_mutex_);
    stopping_ = false;
  }
  started_ns_ = base::monotonic_ns();
  running_ = base::start_quiet_thread(thread_, run_thread, this, "foretask-learn");
  return running_;
}

void Learner::stop() noexcept {
  const base::HeldSignals held;
  const std::lock_guard lock(thread_mutex_);
  ended_ = true;
  if (!running_) return;
  {
    const std::lock_guard wake_lock(wake_mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  pthread_join(thread_, nullptr);
  running_ = false;
}

bool Learner::flush(std::uint32_t timeout_ms) {
  using std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kSignalsHeld(10);  // a handler of the program's waits so long at most
  const auto until = steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  std::uint64_t mine = 0;
  {
    const base::HeldSignals held;
    const std::lock_guard lock(thread_mutex_);
    if (!running_) return false;
    const std::lock_guard wake_lock(wake_mutex_);
    mine = ++flush_asked_;
    wake_.notify_all();
  }
  for (;;) {
    const base::HeldSignals held;
    std::unique_lock lock(wake_mutex_);
    const auto slice = std::min(until, steady_clock::now() + kSignalsHeld);
    const bool is_over = flushed_.wait_until(lock, slice, [&] { return flush_done_ >= mine || stopping_; });
    if (is_over || steady_clock::now() >= until) return flush_done_ >= mine;
  }
}

std::unique_lock<std::mutex> Learner::lock_models() {
  waiting_.fetch_add(1, std::memory_order_relaxed);
  std::unique_lock lock(models_);
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  return lock;
}

std::unique_lock<std::mutex> Learner::lock_models_last() {
  while (waiting_.load(std::memory_order_relaxed) != 0) std::this_thread::yield();
  return std::unique_lock(models_);
}

void Learner::changed(LearnedKernel& kernel, std::size_t worker_class) {
  mark_unpublished(kernel, worker_class);
  publish();
}

LearnerStatistics Learner::statistics() {
  LearnerStatistics result;
  {
    const auto lock = lock_models();
    result.learned = learned_;
  }
  const std::lock_guard lock(queues_mutex_);
  result.dropped = dropped_before_;
  queues_.for_each([&](const SampleQueue& queue) { result.dropped += queue.dropped(); });
  return result;
}

void* Learner::run_thread(void* self) {
  static_cast<Learner*>(self)->run();
  return nullptr;
}

void Learner::run() noexcept {
  std::uint64_t idle_ms = 0;
  std::size_t drained = 0;
  for (bool last = false; !last;) {
    const bool is_alone = drained == 0 && base::are_alone();
    std::uint64_t asked = 0;
    {
      const std::lock_guard lock(wake_mutex_);
      stopping_ |= is_alone;
      asked = flush_asked_;
      last = stopping_;
    }
    drained = 0;
    is_news_ = false;
    bool is_left = false;  // something learned that was not published yet
    try {
      drained = drain();
      if (each_round_ && (drained > 0 || asked != flush_done_)) each_round_();
      const auto lock = lock_models_last();
      if (last || asked != flush_done_ || publishing_is_due(drained)) {
        search_terms();
        publish();
      }
      is_left = !unpublished_.empty();
      reclaimer_.collect();
    } catch (const std::exception& problem) {
      if (!failed_) base::warn(std::string("some samples are not learned: ") + problem.what());
      failed_ = true;
    }
    if (asked != flush_done_) {
      const std::lock_guard lock(wake_mutex_);
      flush_done_ = asked;
      flushed_.notify_all();
    }
    if (!last) sleep(drained, is_left, idle_ms);
  }
  flushed_.notify_all();
}

bool Learner::publishing_is_due(std::size_t drained) const noexcept {
  const std::int64_t pause = std::max(drained < kBusy ? 0 : kPublishEveryNs, (kPublishShare - 1) * publishing_ns_);
  return base::monotonic_ns() - published_ns_ >= pause;
}

void Learner::sleep(std::size_t drained, bool is_left, std::uint64_t& idle_ms) {
  if (drained >= kBusy) {
    idle_ms = 0;
    return;
  }
  const std::uint64_t longest = is_news_ || is_left ? 1 : drained > 0 ? kLongestSleepOfKnownMs : kLongestSleepMs;
  idle_ms = std::clamp<std::uint64_t>(2 * idle_ms, 1, longest);
  std::unique_lock lock(wake_mutex_);
  wake_.wait_for(lock, std::chrono::milliseconds(idle_ms), [this] { return stopping_ || flush_asked_ != flush_done_; });
}

std::size_t Learner::drain() {
  {
    const std::lock_guard lock(queues_mutex_);
    dropped_before_ += queues_.remove_finished();
  }
  std::size_t drained = 0;
  queues_.for_each([&](SampleQueue& queue) {
    batch_.resize(queue.available());
    batch_.resize(queue.pop(batch_));
    drained += batch_.size();
    const auto lock = lock_models_last();
    learn_batch();
  });
  return drained;
}

// Kernel by kernel, each one's samples in their order: a kernel's models are some ten thousand bytes, and those of many
// kernels in turn would not stay in the cache.
void Learner::learn_batch() {
  const auto count = static_cast<std::uint32_t>(batch_.size());
  following_.assign(count, LearnedKernel::kNone);
  firsts_.clear();
  firsts_.reserve(count);  // nothing fails once a kernel is marked
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t& last = batch_[i].kernel->last_in_batch;
    if (last == LearnedKernel::kNone) {
      firsts_.push_back(i);
    } else {
      following_[last] = i;
    }
    last = i;
  }
  for (const std::uint32_t first : firsts_) batch_[first].kernel->last_in_batch = LearnedKernel::kNone;
  for (const std::uint32_t first : firsts_)
    for (std::uint32_t i = first; i != LearnedKernel::kNone; i = following_[i]) learn(batch_[i]);
}

void Learner::learn(const Sample& sample) {
  ++learned_;
  LearnedKernel& kernel = *sample.kernel;
  model::KernelModel& model = kernel.model(sample.worker_class);
  is_news_ |= model.samples() < kNew;
  model.learn(model::Parameters(sample.values).first(sample.parameters), sample.time);
  mark_unpublished(kernel, sample.worker_class);
}

void Learner::mark_unpublished(LearnedKernel& kernel, std::size_t worker_class) {
  if (kernel.unpublished == 0) unpublished_.push_back(&kernel);
  kernel.unpublished |= 1U << worker_class;
}

// Those that there is no time for now are made up for, also where no more samples come.
void Learner::search_terms() {
  for (LearnedKernel* const kernel : unpublished_) {
    for (std::size_t i = 0; i < kMaxWorkerClasses; ++i) {
      const std::uint32_t bit = 1U << i;
      if ((kernel->unpublished & bit & ~kernel->searching) == 0 || !kernel->model(i).search_is_due()) continue;
      searches_.push_back({kernel, i});
      kernel->searching |= bit;
    }
  }
  const std::int64_t now = base::monotonic_ns();
  while (!searches_.empty() && search_ns_ <= kFirstSearchesNs + (now - started_ns_) / kSearchShare) {
    const auto [kernel, worker_class] = searches_.front();
    searches_.pop_front();
    kernel->searching &= ~(1U << worker_class);
    const std::int64_t begin = base::thread_cpu_ns();
    kernel->model(worker_class).search();
    search_ns_ += base::thread_cpu_ns() - begin;
    mark_unpublished(*kernel, worker_class);
  }
}

void Learner::publish() {
  const std::int64_t begin = base::monotonic_ns();
  for (LearnedKernel* const kernel : unpublished_) {
    for (std::size_t i = 0; i < kMaxWorkerClasses; ++i)
      if (kernel->unpublished & (1U << i))
        if (auto old = kernel->publish(i)) reclaimer_.retire(std::move(old));
    kernel->unpublished = 0;
  }
  unpublished_.clear();
  published_ns_ = base::monotonic_ns();
  publishing_ns_ = published_ns_ - begin;
}

void Learner::before_fork() {
  thread_mutex_.lock();
  queues_mutex_.lock();
  models_.lock();
  wake_mutex_.lock();
}

void Learner::after_fork_in_parent() {
  wake_mutex_.unlock();
  models_.unlock();
  queues_mutex_.unlock();
  thread_mutex_.unlock();
}

void Learner::after_fork_in_child() {
  running_ = false;
  stopping_ = false;
  flush_asked_ = flush_done_ = 0;
  queues_.forget();
  dropped_before_ = 0;
  learned_ = 0;
  waiting_ = 0;
  // The parent's learner may have been at it.
  new (&batch_) std::vector<Sample>;
  forget_other_readers();
  after_fork_in_parent();
  // Waiters of the parent are not here, either.
  new (&wake_) std::condition_variable;
  new (&flushed_) std::condition_variable;
}

}  // namespace foretask::predict
