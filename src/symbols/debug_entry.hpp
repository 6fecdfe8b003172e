// SPDX-License-Identifier: Apache-2.0
// What one entry of debug information says.
#pragma once

#include <elfutils/libdw.h>

#include <string>
#include <string_view>

#include "symbols/scope_table.hpp"

namespace foretask::symbols {

// Headers of the compiler, the C++ library and installed libraries.
[[nodiscard]] bool is_system_file(std::string_view path);

// The linker name; for a function without one (C, or local in C++) its own behind those of the scopes around it.
[[nodiscard]] std::string linker_name_of(Dwarf_Die* entry, ScopeTable& scopes);

// As dwarf_decl_file, which takes DWARF 5's file 0, the unit's own, for none. Null where the entry names none.
// `name`: of the attribute.
[[nodiscard]] const char* file_of(Dwarf_Die* entry, unsigned name);

}  // namespace foretask::symbols
