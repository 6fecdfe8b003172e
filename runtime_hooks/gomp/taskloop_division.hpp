// SPDX-License-Identifier: Apache-2.0
// How libgomp divides a taskloop's iterations among tasks, which it says to nobody.
#pragma once

#include <cstdint>

namespace foretask::gomp {

struct TaskloopDivision {
  std::uint64_t tasks = 0;
  std::uint64_t leading = 0;  // the first of them have `first` iterations, the others `other`
  std::uint64_t first = 0;
  std::uint64_t other = 0;

  // The number of the task that begins with that iteration.
  [[nodiscard]] std::uint64_t number_of(std::uint64_t iteration) const {
    const std::uint64_t led = leading * first;
    const std::uint64_t number =
        iteration < led ? iteration / first : leading + (other == 0 ? 0 : (iteration - led) / other);
    return number < tasks ? number : tasks - 1;
  }
};

// `iterations`: at least one. `number`: the grain size, or the number of tasks. `flags`: TaskFlag.
[[nodiscard]] TaskloopDivision divide_taskloop(std::uint64_t iterations, std::uint64_t number, unsigned flags,
                                               unsigned team_size);

}  // namespace foretask::gomp
