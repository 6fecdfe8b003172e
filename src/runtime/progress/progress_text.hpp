// SPDX-License-Identifier: Apache-2.0
// The progress of a run in words, and as a line of JSON. Pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "foretask/foretask.h"

namespace foretask::runtime {

// "43 % done, 1.8 s left (1.6 to 2.1), 2 workers; 4 would be 1.7 to 1.9 times as fast", without an end of line; of no
// more than `most` characters: what stands last is left out first.
[[nodiscard]] std::string progress_text(const foretask_progress_state& state, std::size_t most = std::string::npos);

// The end: "done in 2.31 s, 2 workers", and what is kept of it.
[[nodiscard]] std::string progress_end_text(const foretask_progress_state& state, const std::string& kept);

// {"foretask_progress": "predicted", "elapsed_ns": 12, ...}; members that are not known are left out.
[[nodiscard]] std::string progress_json(const foretask_progress_state& state, bool is_end);

}  // namespace foretask::runtime
