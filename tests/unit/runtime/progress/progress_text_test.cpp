// SPDX-License-Identifier: Apache-2.0
// The progress in words, as long as there is room for.
#include "runtime/progress/progress_text.hpp"

#include <limits>

#include "catch.hpp"

using foretask::runtime::progress_end_text;
using foretask::runtime::progress_text;

namespace {

foretask_progress_state known() {
  foretask_progress_state state = FORETASK_PROGRESS_STATE_INIT;
  state.knowledge = FORETASK_PROGRESS_PREDICTED;
  state.workers = 2;
  state.elapsed_ns = 5e9;
  state.done = 0.437;
  state.remaining_ns = 12.34e9;
  state.low_ns = 11.9e9;
  state.high_ns = 12.8e9;
  state.speedup_low = 1.3;
  state.speedup_high = 1.7;
  return state;
}

}  // namespace

TEST_CASE("what stands last is left out first where there is no room for all") {
  const std::string start = "43 % done, 12.3 s left";
  const std::string interval = start + " (11.9 to 12.8)";
  const std::string workers = interval + ", 2 workers";
  const std::string whole = workers + "; 4 would be 1.3 to 1.7 times as fast";
  CHECK(progress_text(known()) == whole);
  CHECK(progress_text(known(), whole.size()) == whole);
  CHECK(progress_text(known(), whole.size() - 1) == workers);
  CHECK(progress_text(known(), workers.size()) == workers);
  CHECK(progress_text(known(), workers.size() - 1) == interval);
  CHECK(progress_text(known(), interval.size() - 1) == start);
  CHECK(progress_text(known(), 5) == "43 % ");
  CHECK(progress_text(known(), 0).empty());
}

TEST_CASE("of twice the workers nothing is said where all is possible or nothing is known") {
  foretask_progress_state state = known();
  state.speedup_low = 1.0;
  state.speedup_high = 2.0;
  CHECK(progress_text(state) == "43 % done, 12.3 s left (11.9 to 12.8), 2 workers");
  CHECK(progress_end_text(state, "") == "done in 5.00 s, 2 workers");
  state.speedup_low = state.speedup_high = std::numeric_limits<double>::quiet_NaN();
  CHECK(progress_end_text(state, "") == "done in 5.00 s, 2 workers");
  state.speedup_low = state.speedup_high = 1.05;
  CHECK(progress_end_text(state, "kept") == "done in 5.00 s, 2 workers; 4 would not help; kept");
}
