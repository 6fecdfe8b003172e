// SPDX-License-Identifier: Apache-2.0
// HOT: the state machine of a thread that runs tasks: which one runs, since when, and what of the time is whose. What
// happens of it goes to the sinks. Of one thread; a task may go from one to another between two calls.
//
// A Task has the members of LivingTask. Clock::now() is a time stamp. Sinks are told, in this order for each task:
//
//   on(task, now, is_first)  the thread runs its code from now on, for the first time or again
//   off(task, ticks)         it does not any more, and has for so long
//   end(task)                it is over, or its body is; true if the sink took time that is nobody's
//   share_end(share)         a share of a loop is over
#pragma once

#include <cstdint>
#include <utility>

namespace foretask::runtime {

template <typename Task>
struct LivingTask {
  std::uint64_t ticks = 0;  // of its own code so far
  std::uint32_t waits = 0;  // waits that it is in
  bool is_begun = false;
  bool is_region = false;  // a thread's own part in a region
  Task* outer = nullptr;   // a region's: what the thread ran before
  Task* inner = nullptr;   // a region's: the share of a loop that is open
};

template <typename Task, typename Clock, typename Sinks>
class TaskLives {
 public:
  [[nodiscard]] Task* running() const noexcept { return running_; }

  // The thread leaves its running task for `to`, which starts or goes on; null: for what is no task.
  void change(Task* to) noexcept {
    const std::uint64_t now = Clock::now();
    stop(now);
    run(to, now);
  }

  // The running task is over, or its body is: its event is still to come. `to` goes on.
  void end(Task* task, Task* to) noexcept {
    const std::uint64_t now = Clock::now();
    stop(now);
    const bool took_time = task && Sinks::end(*task);
    run(to, took_time ? Clock::now() : now);
  }

  // The task is cut short, or never begins. `to` goes on where this thread ran it.
  void discard(Task* task, Task* to) noexcept {
    if (task && running_ == task) change(to);
  }

  // The thread's own part in a region begins, at `now`, and ends. It goes on with what it ran before.
  void stop_for_region() noexcept { stop(Clock::now()); }
  void enter(Task* region, std::uint64_t now) noexcept {
    region->is_region = true;
    region->outer = running_;
    run(region, now);
  }
  void leave(Task* region) noexcept {
    const bool is_running = running_ == region || (region->inner && running_ == region->inner);
    if (is_running) stop(Clock::now());
    close_share(region);
    static_cast<void>(Sinks::end(*region));
    if (is_running) run(region->outer, Clock::now());
  }

  // The thread begins and ends its share of a loop in a region; of the one before no end may have been seen.
  // `make_share` gives the new one, or null.
  template <typename MakeShare>
  void begin_share(Task* region, MakeShare&& make_share) noexcept {
    stop(Clock::now());
    close_share(region);
    if (Task* const share = make_share()) {
      share->is_begun = true;
      region->inner = share;
    }
    run(region, Clock::now());
  }
  void end_share(Task* region) noexcept {
    stop(Clock::now());
    close_share(region);
    run(region, Clock::now());
  }

  // The running task begins and ends a wait. Waits may nest.
  void begin_wait() noexcept {
    if (!running_) return;
    if (running_->waits == 0) stop(Clock::now());
    ++running_->waits;
  }
  void end_wait() noexcept {
    if (!running_ || running_->waits == 0) return;
    if (--running_->waits == 0) run(running_, Clock::now());
  }

 private:
  // What ran is not on any more.
  void stop(std::uint64_t now) noexcept {
    if (!running_ || running_->waits != 0) return;
    const std::uint64_t ran = now - since_;
    running_->ticks += ran;
    Sinks::off(*running_, ran);
  }

  // A region's task is in its share of a loop, where it has one.
  void run(Task* task, std::uint64_t now) noexcept {
    if (task && task->inner) task = task->inner;
    running_ = task;
    since_ = now;
    if (!task || task->waits != 0) return;
    const bool is_first = !std::exchange(task->is_begun, true);
    Sinks::on(*task, now, is_first);
  }

  void close_share(Task* region) noexcept {
    Task* const share = std::exchange(region->inner, nullptr);
    if (!share) return;
    if (running_ == share) running_ = nullptr;
    Sinks::share_end(*share);
  }

  Task* running_ = nullptr;
  std::uint64_t since_ = 0;  // when it was switched on, or its wait ended
};

}  // namespace foretask::runtime
