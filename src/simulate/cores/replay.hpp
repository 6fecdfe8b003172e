// SPDX-License-Identifier: Apache-2.0
// What every kind of replay gives.
#pragma once

#include <cstddef>
#include <cstdint>

namespace foretask::simulate {

struct Replay {
  std::int64_t makespan_ns = 0;
  std::size_t finished = 0;  // fewer than there are nodes: the rest waits on a cycle
  bool is_random = false;    // another seed might give another makespan
};

}  // namespace foretask::simulate
