// SPDX-License-Identifier: Apache-2.0
// How fast this machine's memory is when one thread, two, ... use it at once. Cold.
#pragma once

#include <cstddef>
#include <vector>

namespace foretask::base {

// Bytes per second that 1, 2, ... `most` threads together read, and write back, each in an array of its own of `bytes`:
// several times the last-level cache's share. A byte counts once, as a cache's misses do. Measured for 1, 2, 4, ... and
// `most`, some 100 ms each, and on straight lines between. Fewer entries where there is no memory for the arrays, or no
// thread to be had; none where there is not even the first.
[[nodiscard]] std::vector<double> memory_bandwidth(unsigned most, std::size_t bytes);

}  // namespace foretask::base
