// SPDX-License-Identifier: Apache-2.0
// Where functions begin, of a file without symbols: exceptions and debuggers unwind by a table that strip leaves.
#pragma once

#include <cstdint>
#include <vector>

struct Elf;

namespace foretask::symbols {

// Addresses in the file, ascending, by its search table (.eh_frame_hdr, LSB Core 10.6.2). A part that a compiler moved
// away from its function has its own. Empty where there is no such table, or no `elf`. O(functions).
[[nodiscard]] std::vector<std::uint64_t> function_starts(Elf* elf);

}  // namespace foretask::symbols
