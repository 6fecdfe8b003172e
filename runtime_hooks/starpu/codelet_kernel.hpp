// SPDX-License-Identifier: Apache-2.0
// What a codelet is to foretask: a kernel for each of its implementations, and the parameters of its tasks. Any thread.
#pragma once

#include <starpu.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "foretask/foretask.h"

namespace foretask::starpu {

// Numbers that explain a task's time: those of the codelet's multiple regression model, else the size by its model's
// size_base, else the bytes of its data.
struct Parameters {
  std::array<double, FORETASK_MAX_PARAMETERS> values{};
  std::size_t count = 0;
};

// Calls functions of the program that read the task's data. StarPU calls them when a scheduler asks for the task's
// length, and on the task's worker. By then all that the task comes after has ended; at its submission nothing may
// have.
[[nodiscard]] Parameters parameters_of(starpu_task& task, unsigned implementation);

// Code of the codelet's first function. Null: it has none.
[[nodiscard]] const void* code_of(const starpu_codelet& codelet);

// A worker class that a model takes for slow gets no tasks, and so no samples that could show that the model is wrong.
// Here such a class is noticed and offered a task now and then: the first one early, later ones only where they cost at
// most a twentieth of what the tasks took elsewhere meanwhile. Of one kernel. Any thread; a lock, some 30 ns a call.
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

class CodeletKernel {
 public:
  explicit CodeletKernel(const starpu_codelet& codelet);

  // NULL: the codelet has no name, or foretask cannot use it.
  [[nodiscard]] foretask_kernel* kernel(unsigned implementation) const noexcept { return kernels_[implementation]; }
  [[nodiscard]] UnusedClasses& unused(unsigned implementation) noexcept { return unused_[implementation]; }

 private:
  std::array<foretask_kernel*, STARPU_MAXIMPLEMENTATIONS> kernels_{};
  std::array<UnusedClasses, STARPU_MAXIMPLEMENTATIONS> unused_;
};

// Lives until the process ends. 10 ns where the calling thread asked for the same codelet before, else 50 ns; a
// codelet's first task some 50 us.
[[nodiscard]] CodeletKernel& kernel_of(const starpu_codelet& codelet);

}  // namespace foretask::starpu
