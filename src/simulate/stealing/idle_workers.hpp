// SPDX-License-Identifier: Apache-2.0
// HOT: the workers that found nothing to start.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulate/cores/worker_set.hpp"

namespace foretask::simulate {

class IdleWorkers {
 public:
  explicit IdleWorkers(std::size_t workers) : free_(workers), bound_(workers) {}

  // `is_bound`: it may start descendants of the task that waits on its stack alone.
  void insert(std::uint32_t worker, bool is_bound) noexcept { (is_bound ? bound_ : free_).insert(worker); }
  // False where it was not idle.
  bool erase(std::uint32_t worker) noexcept {
    if (!free_.contains(worker) && !bound_.contains(worker)) return false;
    free_.erase(worker);
    bound_.erase(worker);
    return true;
  }

  [[nodiscard]] const WorkerSet& free() const noexcept { return free_; }
  [[nodiscard]] const WorkerSet& bound() const noexcept { return bound_; }

 private:
  WorkerSet free_;
  WorkerSet bound_;
};

}  // namespace foretask::simulate
