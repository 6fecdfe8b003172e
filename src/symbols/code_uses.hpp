// SPDX-License-Identifier: Apache-2.0
// Where a program takes the address of a function and then calls another one with it, as each construct of OpenMP does.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <map>
#include <optional>

namespace foretask::symbols {

// Addresses are the file's own.
struct CodeUse {
  std::uint64_t at = 0;
  std::uint64_t call = 0;  // the next one, perhaps of another function; `at` if there is none
};

// Of one file on x86-64 or AArch64; of another there are none. Reads all its code: some ms for 10 MB.
class CodeUses {
 public:
  // Null: none.
  explicit CodeUses(Elf* file);

  // The first use of the function.
  [[nodiscard]] std::optional<CodeUse> find(std::uint64_t function) const;

 private:
  std::map<std::uint64_t, CodeUse> first_;  // by function
};

}  // namespace foretask::symbols
