// SPDX-License-Identifier: Apache-2.0
// A worker class that a model takes for slow gets no tasks, and so no samples that could show that the model is wrong.
// Here such a class is noticed and offered a task now and then: the first one early, later ones only where they cost at
// most a twentieth of what the tasks took elsewhere meanwhile. Of one kernel. Any thread; a lock, some 30 ns a call.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "foretask/foretask.h"

namespace foretask::starpu {

class UnusedClasses {
 public:
  // A task with the parameters `size` (any number that tells them apart) took `ns` on `worker_class`.
  void add(std::uint64_t size, int worker_class, double ns);

  // Whether a scheduler that asks for a time should be told that it is not known, so that it tries the class out.
  // `predicted_ns`: the answer that it would be given.
  [[nodiscard]] bool should_try(std::uint64_t size, int worker_class, double predicted_ns);

 private:
  struct Use {
    std::uint64_t seen_at = 0;    // number of the latest sample of this class
    std::uint64_t tried_at = 0;   // number of the latest sample when a task was last offered
    std::uint64_t wait = kFirst;  // samples elsewhere until the next offer
    double elsewhere_ns = 0;      // since the latest sample
    double latest_ns = 0;
    double predicted_ns = 0;   // when a task was last offered; 0: none is on its way
    std::uint32_t doubts = 0;  // offers left while the samples contradict the prediction
  };
  struct Size {
    std::uint64_t samples = 0;
    std::array<Use, FORETASK_MAX_WORKER_CLASSES> uses;
  };
  static constexpr std::uint64_t kFirst = 16;

  [[nodiscard]] Size* find(std::uint64_t size);

  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Size> sizes_;
};

}  // namespace foretask::starpu
