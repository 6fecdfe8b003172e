// SPDX-License-Identifier: Apache-2.0
#include "symbols/debug_entry.hpp"

#include <dwarf.h>

#include <cstddef>

#include "symbols/function_name.hpp"

namespace foretask::symbols {
namespace {

const char* string_of(Dwarf_Die* entry, unsigned name) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(entry, name, &attribute) == nullptr ? nullptr : dwarf_formstring(&attribute);
}

}  // namespace

bool is_system_file(std::string_view path) {
  return path.starts_with("/usr/include/") || path.starts_with("/usr/lib/") || path.find("/include/c++/") != path.npos;
}

std::string linker_name_of(Dwarf_Die* entry, ScopeTable& scopes) {
  for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (const char* const name = string_of(entry, attribute)) return name;
  const char* const own = string_of(entry, DW_AT_name);
  if (own == nullptr) return {};
  std::string name = own;
  if (name.rfind("_Z", 0) == 0 || parse_outlined_name(name).is_outlined) return name;
  for (Dwarf_Die& scope : scopes.around(*entry)) {
    const int tag = dwarf_tag(&scope);
    const bool is_scope =
        tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
    if (const char* const outer = is_scope ? string_of(&scope, DW_AT_name) : nullptr)
      name = std::string(outer) + "::" + name;
  }
  return name;
}

const char* file_of(Dwarf_Die* entry, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word index = 0;
  Dwarf_Die unit;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_attr_integrate(entry, name, &attribute) == nullptr || dwarf_formudata(&attribute, &index) != 0 ||
      dwarf_diecu(entry, &unit, nullptr, nullptr) == nullptr || dwarf_getsrcfiles(&unit, &files, &count) != 0 ||
      index >= count)
    return nullptr;
  return dwarf_filesrc(files, index, nullptr, nullptr);
}

}  // namespace foretask::symbols
