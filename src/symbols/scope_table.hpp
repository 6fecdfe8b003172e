// SPDX-License-Identifier: Apache-2.0
// Which entries of debug information stand around an entry. libdw looks for that anew at each question, from the unit's
// beginning.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace foretask::symbols {

// Of the units of one file. The first question about a unit reads all of it: some ms for a large one.
class ScopeTable {
 public:
  // Innermost first; the last one is the entry's unit.
  [[nodiscard]] std::vector<Dwarf_Die> around(Dwarf_Die entry);

 private:
  struct Scope {
    Dwarf_Die entry;
    const void* last;   // the address of the last entry within it
    std::size_t outer;  // of the unit's scopes
  };
  using Unit = std::vector<Scope>;  // by ascending address: an entry comes before those within it

  // Adds it and the scopes within it. Returns the address of the last entry within it.
  static const void* read(Dwarf_Die scope, std::size_t outer, Unit& unit);

  std::unordered_map<const void*, Unit> units_;  // by their entries' addresses
};

}  // namespace foretask::symbols
