// SPDX-License-Identifier: Apache-2.0
#include "symbols/scope_table.hpp"

#include <algorithm>

namespace foretask::symbols {
namespace {

constexpr std::size_t kNoScope = static_cast<std::size_t>(-1);

}  // namespace

const void* ScopeTable::read(Dwarf_Die scope, std::size_t outer, Unit& unit) {
  const std::size_t own = unit.size();
  unit.push_back({scope, scope.addr, outer});
  const void* last = scope.addr;
  Dwarf_Die child;
  if (dwarf_child(&scope, &child) == 0) {
    do last = dwarf_haschildren(&child) == 1 ? read(child, own, unit) : child.addr;
    while (dwarf_siblingof(&child, &child) == 0);
  }
  unit[own].last = last;
  return last;
}

std::vector<Dwarf_Die> ScopeTable::around(Dwarf_Die entry) {
  std::vector<Dwarf_Die> result;
  Dwarf_Die its_unit;
  if (dwarf_diecu(&entry, &its_unit, nullptr, nullptr) == nullptr) return result;
  const auto [known, is_new] = units_.try_emplace(its_unit.addr);
  Unit& unit = known->second;
  if (is_new) read(its_unit, kNoScope, unit);
  const auto after =
      std::lower_bound(unit.begin(), unit.end(), entry.addr,
                       [](const Scope& scope, const void* address) { return scope.entry.addr < address; });
  if (after == unit.begin()) return result;
  for (std::size_t at = static_cast<std::size_t>(after - unit.begin()) - 1; at != kNoScope; at = unit[at].outer)
    if (unit[at].last >= entry.addr) result.push_back(unit[at].entry);
  return result;
}

}  // namespace foretask::symbols
