// SPDX-License-Identifier: Apache-2.0
// What `foretask predict` says of the or-parallel sections of recorded runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/program_recordings.hpp"
#include "foretask/analysis/speculation.hpp"
#include "foretask/result.hpp"

namespace foretask::cli {

// Of the runs of one input, since how long a search takes is a matter of its input: the largest of `sizes` that was
// recorded, or of all where `sizes` is empty. A section is that of all these runs together. `workers`: empty for as
// many as were recorded, twice as many, ... 64 times. No section: none; one of which too little is known is a warning.
// Errors: sections, but none of any of `sizes`.
[[nodiscard]] Result<std::vector<analysis::Speculation>> predict_searches(const analysis::ProgramRecordings& recordings,
                                                                          const std::vector<double>& sizes,
                                                                          const std::vector<std::uint32_t>& workers,
                                                                          std::vector<std::string>& warnings);

}  // namespace foretask::cli
