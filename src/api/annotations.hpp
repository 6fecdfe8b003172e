// SPDX-License-Identifier: Apache-2.0
// What a recording takes down of kernels and their samples.
#pragma once

#include <cstdint>
#include <span>

namespace foretask::api {

// Nothing while this process is not recorded.
inline void record_kernel_sample(std::uint32_t /*kernel*/, std::span<const double> /*parameters*/,
                                 double /*duration_ns*/) noexcept {}

}  // namespace foretask::api
