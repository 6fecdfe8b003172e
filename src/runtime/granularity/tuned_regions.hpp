// SPDX-License-Identifier: Apache-2.0
// The tuned regions, for those who begin and end the tuning. Cold.
#pragma once

#include "base/environment.hpp"
#include "model/store/tuned_program.hpp"

namespace foretask::runtime {

// Before any region. `earlier`: what is recalled; it stays.
void start_tuning_regions(const base::Environment& environment, const model::TunedProgram& earlier);

struct TunedRegions {
  std::uint32_t with_loops = 0;  // places in the code whose loops leave their schedule to the runtime
  std::uint32_t changed = 0;     // of them those that run faster with another one than the program's
};
[[nodiscard]] TunedRegions count_tuned_regions();

// Into `found`.
void keep_tuned_regions(model::TunedProgram& found);

}  // namespace foretask::runtime
