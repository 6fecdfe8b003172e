// SPDX-License-Identifier: Apache-2.0
// A task of oneTBB is an object of a class that a template of its headers makes of the user's function object. Its code
// is the class's execute function; a reader knows it by the function object.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>

#include "symbols/debug_unit.hpp"

namespace foretask::symbols {

// The function object of the class whose execute is at `pc` in the unit: a lambda by the function that holds it and its
// line, another class by its name and line. Nothing where the class has none outside of system headers. Clang may not
// say which function holds a lambda: then its name is empty.
[[nodiscard]] std::optional<SourcePlace> find_function_object(Dwarf_Die unit, std::uint64_t pc, ScopeTable& table);

// The same of the first function that foretask::invoke() was given, where it makes a task of it at `pc`; nothing
// elsewhere.
[[nodiscard]] std::optional<SourcePlace> find_invoked(Dwarf_Die unit, std::uint64_t pc, ScopeTable& table);

}  // namespace foretask::symbols
