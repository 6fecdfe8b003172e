// SPDX-License-Identifier: Apache-2.0
// What is known of the program's tasks, where FORETASK=tune: for those who decide (tuned_tasks.cpp) and for the begin
// and end of the process (tuning.cpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "foretask/tune_hook.h"
#include "runtime/granularity/subtree_rules.hpp"
#include "runtime/granularity/tuning_trial.hpp"

namespace foretask::runtime {

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

}  // namespace foretask::runtime
