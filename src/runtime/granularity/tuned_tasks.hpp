// SPDX-License-Identifier: Apache-2.0
// What is known of the program's tasks, where FORETASK=tune: for those who decide (tuned_tasks.cpp) and for the begin
// and end of the process (tuning.cpp).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "foretask/tune_hook.h"
#include "model/store/tuned_program.hpp"
#include "runtime/granularity/subtree_rules.hpp"

namespace foretask::runtime {

// Whether running tasks at once pays at all. Where threads have nothing to do for long, a part of the run is made both
// ways in turn, and the one in which tasks come faster goes on for a while. Any thread, without a lock.
class TuningTrial {
 public:
  explicit constexpr TuningTrial(int* leaves_alone) noexcept : leaves_alone_(leaves_alone) {}

  // To be called now and then, a thousand times a second at least while tasks are made. Some 25 ns.
  void look() noexcept {
    const std::int64_t now = base::monotonic_ns();
    const std::int64_t since = now - begin_ns_.load(std::memory_order_relaxed);
    if (since < kEpochNs || is_looking_.exchange(true, std::memory_order_acquire)) return;
    end_epoch(now);
    is_looking_.store(false, std::memory_order_release);
  }

  // An earlier run has found that the runtime should have all tasks: so it begins, and tries later.
  void give_up_first() noexcept {
    leave_alone(true);
    gave_up_ = true;
    patience_ = settled_ = kRecalled;
  }
  [[nodiscard]] bool gave_up() const noexcept { return gave_up_.load(std::memory_order_relaxed); }

  // Tasks that were made while the runtime had them as the program made them.
  std::atomic<std::uint64_t> left_alone{0};
  std::atomic<std::uint32_t> trials{0};
  std::atomic<std::uint32_t> given_up{0};

 private:
  static constexpr std::int64_t kEpochNs = 2'000'000;
  // A trial is of so many rounds, every other one each way, and a round of so many epochs, the first of which does not
  // count: tasks of the other way are about.
  static constexpr int kRounds = 4;
  static constexpr int kEpochs = 4;
  // Epochs until the next trial: twice as many where it went as the last one.
  static constexpr int kSettled = 50;
  static constexpr int kRecalled = 4 * kSettled;
  static constexpr int kMostSettled = 3200;
  // A trial is worth it where threads had nothing to do for such a share of the time, and made so many tasks.
  static constexpr double kIdle = 0.2;
  static constexpr std::uint64_t kTasks = 500;
  // Running tasks at once goes on where it is so much faster: there is reason for doubt, and few epochs tell little.
  static constexpr double kFaster = 1.1;
  // So many times as fast is clear after the first round of each way.
  static constexpr double kClear = 1.5;

  struct Sums {
    std::uint64_t tasks = 0;
    Ticks waited = 0;
    std::int64_t threads = 0;
  };

  bool leaves_alone() const noexcept { return __atomic_load_n(leaves_alone_, __ATOMIC_RELAXED) != 0; }
  void leave_alone(bool alone) noexcept { __atomic_store_n(leaves_alone_, alone ? 1 : 0, __ATOMIC_RELAXED); }

  Sums sums() const noexcept {
    Sums all{.tasks = left_alone.load(std::memory_order_relaxed)};
    for (const SubtreeThread* one = all_threads.load(std::memory_order_acquire); one; one = one->next_of_all) {
      all.tasks += one->tasks_seen.load(std::memory_order_relaxed);
      all.waited += one->waited.load(std::memory_order_relaxed);
      ++all.threads;
    }
    return all;
  }

  void end_epoch(std::int64_t now) noexcept {
    const Sums all = sums();
    const std::int64_t from = begin_ns_.exchange(now, std::memory_order_relaxed);
    const Ticks now_ticks = base::ticks_now();
    const Ticks epoch = now_ticks - begin_ticks_;
    begin_ticks_ = now_ticks;
    const std::uint64_t tasks = all.tasks - last_.tasks;
    const Ticks waited = all.waited - last_.waited;
    last_ = all;
    if (from == 0) return;
    if (round_ > 0) {
      const bool was_alone = leaves_alone();
      if (round_ % kEpochs != 0) {
        tasks_[was_alone ? 1 : 0] += static_cast<double>(tasks);
        ns_[was_alone ? 1 : 0] += static_cast<double>(now - from);
      }
      if (--round_ % kEpochs != 0) return;
      const double ratio = tasks_[0] * ns_[1] / (tasks_[1] * ns_[0] + 1);
      const bool is_clear = round_ == kRounds / 2 * kEpochs && (ratio > kClear || ratio < 1 / kClear);
      if (round_ > 0 && !is_clear) return leave_alone(!was_alone);
      round_ = 0;
      const bool gives_up = ratio < kFaster;
      patience_ = gives_up == gave_up_ ? std::min(2 * patience_, kMostSettled) : kSettled;
      gave_up_ = gives_up;
      leave_alone(gives_up);
      given_up.fetch_add(gives_up ? 1 : 0, std::memory_order_relaxed);
      settled_ = patience_;
    } else if (settled_ > 0) {
      --settled_;
      if (settled_ == 0 && leaves_alone()) begin_trial();
    } else if (tasks >= kTasks &&
               static_cast<double>(waited) > kIdle * static_cast<double>(epoch) * static_cast<double>(all.threads)) {
      begin_trial();
    }
  }

  void begin_trial() noexcept {
    trials.fetch_add(1, std::memory_order_relaxed);
    round_ = kRounds * kEpochs;
    tasks_ = ns_ = {};
  }

  int* leaves_alone_;  // what hooks read
  std::atomic<std::int64_t> begin_ns_{0};
  std::atomic<bool> is_looking_{false};
  std::atomic<bool> gave_up_{false};  // written by whoever looks
  // By whoever looks.
  Ticks begin_ticks_ = 0;
  Sums last_;
  int round_ = 0;    // of a trial, that are left
  int settled_ = 0;  // epochs until there may be another
  int patience_ = kSettled / 2;
  std::array<double, 2> tasks_{};
  std::array<double, 2> ns_{};
};

// What is known of a kernel's tasks. Any thread, without a lock: of two that count at once one may be lost.
struct TunedCode : foretask_tuned_code {
  TunedCode() noexcept : foretask_tuned_code{} {}

  std::atomic<std::uint32_t> seen{0};
  std::atomic<std::uint64_t> own{0};  // what one takes without its parts: a RunMean
  std::atomic<bool> stays_deferred{false};
  std::atomic<std::uint64_t> identity{0};  // the same in every run of this code
};

// So many tasks of a kernel are looked at before any is run at once.
inline constexpr std::uint32_t kFirstTasks = 16;
// Where tasks with dependences are so short that their order does not matter, so many times as many are passed over.
inline constexpr std::uint32_t kPassedOver = 64;
inline constexpr Ticks kLeastOrdered = 20'000;

inline constinit TuningTrial trial{&foretask_tuned_leaves_alone};

inline bool is_dry = false;  // decisions are made and counted, and change nothing

inline TunedCode* code_of(foretask_kernel* kernel) noexcept {
  return kernel ? kernel->tuned.load(std::memory_order_acquire) : nullptr;
}

// Null: there is no memory.
inline std::atomic<LearnedOrder*> order_table{nullptr};
inline std::atomic<std::uint32_t> passed_over{0};  // tasks, from now on
inline std::atomic<std::uint64_t> tasks_ordered{0};

// All tasks of `batch`, which is locked, have ended, if there are any.
inline void learn_order(TaskBatch& batch) noexcept {
  if (batch.is_empty()) return;
  LearnedOrder* const order = made_table(order_table);
  const auto tasks = static_cast<std::uint32_t>(batch.size());
  if (order && !batch.learn(*order, kLeastOrdered)) passed_over.store(kPassedOver * tasks, std::memory_order_relaxed);
}

// Owns no lock where the node has no batch, or another thread has it.
inline std::unique_lock<TaskBatch> lock_batch(const SubtreeNode& node) noexcept {
  TaskBatch* const batch = node.batch.load(std::memory_order_acquire);
  return batch ? std::unique_lock(*batch, std::try_to_lock) : std::unique_lock<TaskBatch>();
}

// Begins with what earlier runs have found of `code`, which is new in this process. Of threads that come at once each
// does the same.
void recall(TunedCode& code, foretask_kernel& kernel);

// Before any region. `earlier`: what is recalled; it stays.
void start_tuning_regions(const base::Environment& environment, const model::TunedProgram& earlier);

struct TunedRegions {
  std::uint32_t with_loops = 0;  // places in the code whose loops leave their schedule to the runtime
  std::uint32_t changed = 0;     // of them those that run faster with another one than the program's
};
[[nodiscard]] TunedRegions count_tuned_regions();

// Into `found`.
void keep_tuned_regions(model::TunedProgram& found);

}  // namespace foretask::runtime
