// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/loop_pieces.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "foretask/hook.h"

namespace foretask::graph {

using analysis::LoopSchedule;

LoopSchedule schedule_of(std::uint32_t recorded) {
  switch (recorded & ~std::uint32_t{FORETASK_SCHEDULE_UNNUMBERED}) {
    case FORETASK_SCHEDULE_STATIC_CHUNKED:
      return LoopSchedule::kStaticChunked;
    case FORETASK_SCHEDULE_DYNAMIC:
      return LoopSchedule::kDynamic;
    case FORETASK_SCHEDULE_GUIDED:
    case FORETASK_SCHEDULE_AUTO:  // as LLVM's runtime does it
      return LoopSchedule::kGuided;
    default:
      return LoopSchedule::kStatic;
  }
}

bool is_numbered(std::uint32_t schedule) {
  return schedule != FORETASK_SCHEDULE_UNKNOWN && (schedule & FORETASK_SCHEDULE_UNNUMBERED) == 0;
}

void number_from_lowest(std::span<RecordedPiece> pieces) {
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  for (const RecordedPiece& one : pieces) lowest = std::min(lowest, one.piece.first);
  for (RecordedPiece& one : pieces) {
    one.piece.first -= lowest;
    one.piece.last -= lowest;
  }
}

void infer_schedule(std::span<const RecordedPiece> pieces, analysis::TeamLoop& loop) {
  loop.is_schedule_known = false;
  if (pieces.empty()) return;
  std::int64_t highest = 0;
  std::uint64_t least = kMostIterations;
  std::uint64_t most = 1;
  for (const RecordedPiece& one : pieces) {
    highest = std::max(highest, one.piece.last);
    const std::uint64_t size = (one.piece.iterations + one.chunks - 1) / one.chunks;
    least = std::min(least, size);
    most = std::max(most, size);
  }
  // LLVM's runtime gives a thread that is alone all of it at once.
  if (most >= loop.iterations) return;
  // A block for each thread: static, by schedule(runtime).
  std::set<std::uint32_t> threads;
  for (const RecordedPiece& one : pieces) threads.insert(one.piece.thread);
  const bool one_each =
      std::all_of(pieces.begin(), pieces.end(), [](const RecordedPiece& one) { return one.chunks == 1; }) &&
      threads.size() == pieces.size();
  if (one_each && most - least <= 1 && threads.size() > 1) {
    loop.is_schedule_known = true;
    return;
  }
  const auto small = std::count_if(pieces.begin(), pieces.end(), [&](const RecordedPiece& one) {
    return one.piece.last != highest && 4 * (one.piece.iterations / one.chunks) < 3 * most;
  });
  loop.schedule = small != 0 ? LoopSchedule::kGuided : LoopSchedule::kDynamic;
  loop.chunk = small != 0 ? least : most;
}

}  // namespace foretask::graph
