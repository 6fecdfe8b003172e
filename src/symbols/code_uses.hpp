// SPDX-License-Identifier: Apache-2.0
// Where a program takes the address of a function and then calls another one with it, as each construct of OpenMP does.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <map>

namespace foretask::symbols {

// Addresses are the file's own.
struct CodeUse {
  std::uint64_t at = 0;
  std::uint64_t call = 0;  // the next one, perhaps of another function; `at` if there is none
};

// The first use of each function, by its address. Of one file on x86-64 or AArch64; of another, and of null, there are
// none. Reads all its code: some ms for 10 MB.
[[nodiscard]] std::map<std::uint64_t, CodeUse> code_uses(Elf* file);

}  // namespace foretask::symbols
