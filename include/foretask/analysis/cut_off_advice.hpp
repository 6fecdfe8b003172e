// SPDX-License-Identifier: Apache-2.0
// Whether a recorded run would have been faster with fewer tasks, by replays on the recorded number of workers.
#pragma once

#include <cstdint>
#include <optional>

#include "foretask/analysis/run.hpp"

namespace foretask::analysis {

// With tasks that are smaller than the grain as plain calls. Times are of the whole run.
struct CutOffAdvice {
  std::int64_t grain_ns = 0;
  std::optional<std::uint32_t> depth;  // tasks that lie deeper as plain calls would do nearly as well
  std::uint32_t workers = 1;
  std::uint64_t tasks = 0;  // that would be left, of the grain
  TimeRange unrecorded;     // unrecorded_time() of the run
  std::int64_t predicted_ns = 0;
};

// Nothing where that gains less than 10 % of the least that the run may take unrecorded, where it cannot be said (no
// OpenMP tasks, no end, lost events, mostly waits for locks or for a core, searches that cancel each other, a replay
// that takes another time than the run did), or where tasks are no small ones. Then it costs nothing, else a replay,
// and beside it some passes over the graph.
[[nodiscard]] std::optional<CutOffAdvice> advise_cut_off(const Run& run);

}  // namespace foretask::analysis
