// SPDX-License-Identifier: Apache-2.0
// Between which time stamps a run's events can lie, as its description has it.
#pragma once

#include <cstdint>

#include "trace/run_file.hpp"

namespace foretask::trace {

struct StampRange {
  std::uint64_t earliest = 0;
  std::uint64_t latest = ~std::uint64_t{0} >> 1;
};

// `now_s`: seconds since 1970, for a recording that has no end. What is unknown does not narrow the range.
[[nodiscard]] StampRange stamp_range(const RunFile& run, std::int64_t now_s);

// Whether the counter and the system's clock say different lengths of a run that has ended: one of the five numbers is
// wrong, and it cannot be known which.
[[nodiscard]] bool clock_contradicts_itself(const RunFile& run) noexcept;

// Seconds since 1970 of "2026-01-02T03:04:05Z"; 0 where `text` is no such time.
[[nodiscard]] std::int64_t seconds_of(const std::string& text) noexcept;

}  // namespace foretask::trace
