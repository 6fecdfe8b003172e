// SPDX-License-Identifier: Apache-2.0
// threads.h in C++20 types, with the same contracts. Header only; throws nothing.
//
//   const foretask::Kernel axpy("axpy", {"n", "threads"});
//   {
//     const foretask::Threads threads(axpy, omp_get_max_threads(), n);
//     #pragma omp parallel for num_threads(threads.count())
//     for (long i = 0; i < n; ++i) y[i] += a * x[i];
//   }
#pragma once

#include <array>
#include <cstddef>
#include <exception>

#include "foretask/foretask.hpp"
#include "foretask/threads.h"

namespace foretask {

// A run of a region, from construction to destruction. Nothing is learned of one that an exception ends.
class [[nodiscard]] Threads {
 public:
  // `values`: the kernel's parameters without the last one, the number of threads.
  template <typename... Values>
  requires KernelParameters<Values...> Threads(const Kernel& kernel, int max, Values... values)
  noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    count_ = foretask_threads_begin(&run_, kernel.get(), parameters.data(), sizeof...(Values), max);
    if (run_.kernel) exceptions_ = std::uncaught_exceptions();
  }
  ~Threads() {
    if (run_.kernel && std::uncaught_exceptions() == exceptions_) foretask_threads_end(&run_);
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // On how many threads it is to run.
  [[nodiscard]] int count() const noexcept { return count_; }

 private:
  foretask_threads_run run_;
  int count_ = 1;
  int exceptions_ = 0;
};

// foretask_threads().
template <typename... Values>
requires KernelParameters<Values...>
[[nodiscard]] int best_threads(const Kernel& kernel, int max, Values... values) noexcept {
  const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
  return foretask_threads(kernel.get(), parameters.data(), sizeof...(Values), max);
}

}  // namespace foretask
