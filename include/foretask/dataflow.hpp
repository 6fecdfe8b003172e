// SPDX-License-Identifier: Apache-2.0
// dataflow.h in C++20 types, with the same contracts. Header only; throws nothing.
//
//   const foretask::Kernel gemm("gemm", {"n"});
//   { foretask::Task task(gemm, {foretask::in(a, count), foretask::inout(c, count)}, n); ... }
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>

#include "foretask/dataflow.h"
#include "foretask/foretask.hpp"

namespace foretask {

using Access = foretask_access;

// `count` objects from `first` on; bytes where T is void.
template <typename T>
[[nodiscard]] Access access(const T* first, std::size_t count, foretask_access_kind kind) noexcept {
  if constexpr (std::is_void_v<T>)
    return {first, count, kind};
  else
    return {first, count * sizeof(T), kind};
}
template <typename T>
[[nodiscard]] Access in(const T* first, std::size_t count = 1) noexcept {
  return access(first, count, FORETASK_IN);
}
template <typename T>
[[nodiscard]] Access out(T* first, std::size_t count = 1) noexcept {
  return access(first, count, FORETASK_OUT);
}
template <typename T>
[[nodiscard]] Access inout(T* first, std::size_t count = 1) noexcept {
  return access(first, count, FORETASK_INOUT);
}

// A task, from construction to destruction on one thread (foretask_task_begin).
class [[nodiscard]] Task {
 public:
  template <typename... Values>
  requires KernelParameters<Values...> Task(const Kernel& kernel, std::span<const Access> accesses, Values... values)
  noexcept {
    const std::array<double, sizeof...(Values) + 1> parameters{static_cast<double>(values)...};
    static_cast<void>(
        foretask_task_begin(kernel.get(), parameters.data(), sizeof...(Values), accesses.data(), accesses.size()));
  }
  template <typename... Values>
  requires KernelParameters<Values...> Task(const Kernel& kernel, std::initializer_list<Access> accesses,
                                            Values... values)
  noexcept : Task(kernel, std::span<const Access>(accesses.begin(), accesses.size()), values...) {}
  ~Task() { static_cast<void>(foretask_task_end()); }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // A parameter that only the body knows.
  foretask_status set(std::size_t index, double value) noexcept { return foretask_task_set(index, value); }
};

}  // namespace foretask
