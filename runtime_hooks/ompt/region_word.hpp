// SPDX-License-Identifier: Apache-2.0
// The runtime's word of a region, at the region's end. When libomp tells that end (parallel_end), it has already given
// back the team that holds the word. Where teams are nested another thread may have begun a region with it by then, and
// the word would be that region's. So each thread keeps the words of the regions that it has begun.
#pragma once

#include <omp-tools.h>

namespace foretask::ompt {

// What tools are to look the runtime's functions up with, in the place of `lookup`: its ompt_set_callback passes
// parallel_end the thread's own word. Regions nested deeper than 8 keep the runtime's. Once a process.
[[nodiscard]] ompt_function_lookup_t keep_region_words(ompt_function_lookup_t lookup);

}  // namespace foretask::ompt
