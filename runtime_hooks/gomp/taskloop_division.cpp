// SPDX-License-Identifier: Apache-2.0
#include "taskloop_division.hpp"

#include "libgomp.hpp"

namespace foretask::gomp {
namespace {

// The rest goes to the first tasks, one iteration each.
TaskloopDivision divide_evenly(std::uint64_t iterations, std::uint64_t tasks) {
  const std::uint64_t other = iterations / tasks;
  const std::uint64_t rest = iterations % tasks;
  return {tasks, rest, other + 1, other};
}

}  // namespace

TaskloopDivision divide_taskloop(std::uint64_t iterations, std::uint64_t number, unsigned flags, unsigned team_size) {
  const bool is_strict = (flags & kStrict) != 0;
  if ((flags & kGrainsize) != 0) {
    if (number == 0) number = 1;
    const std::uint64_t whole = iterations / number;
    if (is_strict) return {whole + (iterations % number != 0 ? 1 : 0), whole, number, iterations % number};
    return divide_evenly(iterations, whole <= 1 ? 1 : whole);
  }
  const std::uint64_t tasks = number == 0 ? team_size : number;
  return divide_evenly(iterations, tasks < iterations ? tasks : iterations);
}

}  // namespace foretask::gomp
