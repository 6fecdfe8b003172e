// SPDX-License-Identifier: Apache-2.0
// The checksum that packets and run.json carry, for the side that writes and the side that reads. It finds damage, not
// forgery: a change within any one aligned word of 8 bytes is always found, other damage is missed once in 2^64 times.
#pragma once

#include <cstddef>
#include <cstdint>

namespace foretask::trace {

// Never 0, which stands for "none". Some 20 us for 256 KiB; no special instructions. docs/trace_format.md defines it.
[[nodiscard]] std::uint64_t checksum_of(const void* bytes, std::size_t size) noexcept;

}  // namespace foretask::trace
