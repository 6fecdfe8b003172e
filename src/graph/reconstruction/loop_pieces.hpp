// SPDX-License-Identifier: Apache-2.0
// What a trace says of a loop's schedule, and what its chunks show of it.
#pragma once

#include <cstdint>
#include <span>

#include "foretask/analysis/team_work.hpp"

namespace foretask::graph {

// What a damaged trace may claim of a loop; sums of a few such numbers still fit.
inline constexpr std::int64_t kMostIterations = std::int64_t{1} << 60;

// Of the loop of that number: so many chunks that one thread ran.
struct RecordedPiece {
  std::uint32_t loop = 0;
  std::uint32_t chunks = 1;
  analysis::LoopPiece piece;
};

// `recorded`: a foretask_schedule, without FORETASK_SCHEDULE_ORDERED.
[[nodiscard]] analysis::LoopSchedule schedule_of(std::uint32_t recorded);

// The runtime gives chunks one by one to the thread that is free first; static ones each thread computes for itself.
[[nodiscard]] constexpr bool hands_out(analysis::LoopSchedule schedule) noexcept {
  return schedule == analysis::LoopSchedule::kDynamic || schedule == analysis::LoopSchedule::kGuided;
}

// Whether iterations are numbered from 0 on, as Clang's programs say.
[[nodiscard]] bool is_numbered(std::uint32_t recorded);

// From the lowest that was seen on.
void number_from_lowest(std::span<RecordedPiece> pieces);

// The schedule of a loop that only its chunks tell: equal ones are dealt out in turn, the last may be smaller; else
// they are guided, and one chunk says nothing. Iterations are numbered from 0 on.
void infer_schedule(std::span<const RecordedPiece> pieces, analysis::TeamLoop& loop);

}  // namespace foretask::graph
