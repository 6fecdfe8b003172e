// SPDX-License-Identifier: Apache-2.0
// What a codelet is to foretask: a kernel for each of its implementations, and the parameters of its tasks. Any thread.
#pragma once

#include <starpu.h>

#include <array>
#include <cstddef>

#include "foretask/foretask.h"
#include "unused_classes.hpp"

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

// Code of the codelet's first function, as a call returns to: one byte behind its begin. Null: it has none.
[[nodiscard]] const void* code_of(const starpu_codelet& codelet);

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
