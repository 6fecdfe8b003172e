// SPDX-License-Identifier: Apache-2.0
// This machine's memory: how much is free, and how fast it is. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace foretask::base {

// What this process can still have, in bytes: the least of what the system has free, what its control groups (version
// 2) leave it, and its own limits (ulimit -v, ulimit -d). The largest number where nothing can be read. A fresh reading
// a call, some 100 us.
[[nodiscard]] std::uint64_t available_memory_bytes();

// "1.9 GB".
[[nodiscard]] std::string gigabytes(double bytes);

// How fast the memory is when one thread, two, ... use it at once: bytes per second that 1, 2, ... `most` threads
// together read, and write back, each in an array of its own of `bytes`: several times the last-level cache's share. A
// byte counts once, as a cache's misses do. Measured for 1, 2, 4, ... and `most`, some 100 ms each, and on straight
// lines between. Fewer entries where there is no memory for the arrays, or no thread to be had; none where there is not
// even the first.
[[nodiscard]] std::vector<double> memory_bandwidth(unsigned most, std::size_t bytes);

}  // namespace foretask::base
