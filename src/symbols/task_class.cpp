// SPDX-License-Identifier: Apache-2.0
#include "symbols/task_class.hpp"

#include <dwarf.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/debug_unit.hpp"
#include "symbols/function_name.hpp"

namespace foretask::symbols {
namespace {

constexpr int kMostNested = 32;  // lambdas in lambdas, const of reference of ...

bool is_class(Dwarf_Die* entry) {
  const int tag = dwarf_tag(entry);
  return tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
}

std::string own_name(Dwarf_Die* entry) {
  const char* const name = dwarf_diename(entry);
  return name == nullptr ? std::string() : name;
}

// GCC calls a closure "<lambda(int)>", Clang not at all.
bool is_closure(Dwarf_Die* entry) { return is_class(entry) && (own_name(entry).empty() || own_name(entry)[0] == '<'); }

bool follow(Dwarf_Die* entry, unsigned attribute_name, Dwarf_Die* to) {
  Dwarf_Attribute attribute;
  return dwarf_attr(entry, attribute_name, &attribute) != nullptr && dwarf_formref_die(&attribute, to) != nullptr;
}

// The declaration within the class, for what stands outside of it.
Dwarf_Die declaration_of(Dwarf_Die entry) {
  Dwarf_Die next;
  for (int i = 0; i < kMostNested; ++i) {
    if (!follow(&entry, DW_AT_abstract_origin, &next) && !follow(&entry, DW_AT_specification, &next)) break;
    entry = next;
  }
  return entry;
}

std::vector<Dwarf_Die> children_of(Dwarf_Die entry) {
  std::vector<Dwarf_Die> result;
  Dwarf_Die child;
  if (dwarf_child(&entry, &child) != 0) return result;
  do result.push_back(child);
  while (dwarf_siblingof(&child, &child) == 0);
  return result;
}

// The type itself, of a constant or a reference to it. Its address is null where there is none.
Dwarf_Die plain_type_of(Dwarf_Die entry) {
  constexpr std::array<int, 5> kWrapping{DW_TAG_const_type, DW_TAG_reference_type, DW_TAG_rvalue_reference_type,
                                         DW_TAG_pointer_type, DW_TAG_typedef};
  Dwarf_Die type{};
  if (!follow(&entry, DW_AT_type, &type)) return {};
  for (int i = 0; i < kMostNested; ++i) {
    const int tag = dwarf_tag(&type);
    if (std::find(kWrapping.begin(), kWrapping.end(), tag) == kWrapping.end()) break;
    Dwarf_Die next{};
    if (!follow(&type, DW_AT_type, &next)) return {};
    type = next;
  }
  return type;
}

bool is_of_invoke(std::string_view file) { return file.ends_with("foretask/granularity.hpp"); }

bool is_of_headers(const char* file) {
  return file == nullptr || is_system_file(file) || is_of_invoke(file) ||
         std::string_view(file).find("/oneapi/tbb/") != std::string::npos;
}

// True for what a task class is made of beside its body.
bool is_no_body(Dwarf_Die* parameter) {
  constexpr std::array<std::string_view, 10> kNames{"Range", "Iterator", "Value",     "Item",      "Index",
                                                    "Input", "Output",   "OutputSet", "InputType", "OutputType"};
  return std::find(kNames.begin(), kNames.end(), own_name(parameter)) != kNames.end();
}

// The named function that a lambda stands in, over all lambdas between them.
std::string function_around(Dwarf_Die entry, ScopeTable& table) {
  for (int i = 0; i < kMostNested; ++i) {
    std::vector<Dwarf_Die> scopes = table.around(entry);
    const auto function = std::find_if(scopes.begin(), scopes.end(),
                                       [](Dwarf_Die& scope) { return dwarf_tag(&scope) == DW_TAG_subprogram; });
    if (function == scopes.end()) return {};
    Dwarf_Die declared = declaration_of(*function);
    std::vector<Dwarf_Die> around = table.around(declared);
    if (around.empty() || !is_closure(&around.front())) return readable_function_name(linker_name_of(&declared, table));
    entry = around.front();
  }
  return {};
}

// The types that may lead on from a type to the user's: what its templates are made of, and what a closure has caught.
void add_parts(Dwarf_Die type, ScopeTable& table, std::deque<Dwarf_Die>& types) {
  for (Dwarf_Die& scope : table.around(type))
    if (dwarf_tag(&scope) == DW_TAG_subprogram) types.push_back(scope);
  const bool has_caught = is_closure(&type);
  for (Dwarf_Die& child : children_of(type)) {
    const int tag = dwarf_tag(&child);
    if ((tag == DW_TAG_template_type_parameter && !is_no_body(&child)) || (has_caught && tag == DW_TAG_member))
      types.push_back(plain_type_of(child));
    if (tag == DW_TAG_GNU_template_parameter_pack)
      for (Dwarf_Die& part : children_of(child)) types.push_back(plain_type_of(part));
  }
}

bool can_be_called(Dwarf_Die type) {
  std::vector<Dwarf_Die> children = children_of(type);
  return std::any_of(children.begin(), children.end(),
                     [](Dwarf_Die& child) { return own_name(&child).starts_with("operator()"); });
}

// Breadth first, so that the nearest comes first: one that can be called before any other.
Dwarf_Die user_type_in(std::deque<Dwarf_Die> types, ScopeTable& table) {
  std::set<Dwarf_Off> seen;
  Dwarf_Die other{};
  while (!types.empty()) {
    Dwarf_Die type = types.front();
    types.pop_front();
    if (type.addr == nullptr || !seen.insert(dwarf_dieoffset(&type)).second) continue;
    if (is_class(&type) && !is_of_headers(file_of(&type, DW_AT_decl_file))) {
      if (can_be_called(type)) return type;
      if (other.addr == nullptr) other = type;
      continue;
    }
    add_parts(type, table, types);
  }
  return other;
}

std::optional<SourcePlace> place_of(Dwarf_Die type, ScopeTable& table) {
  SourcePlace place;
  place.function =
      is_closure(&type) ? function_around(type, table) : readable_function_name(linker_name_of(&type, table));
  place.file = file_of(&type, DW_AT_decl_file);
  if (dwarf_decl_line(&type, &place.line) != 0) return std::nullopt;
  return place;
}

}  // namespace

std::optional<SourcePlace> find_function_object(Dwarf_Die unit, std::uint64_t pc, ScopeTable& table) {
  for (Dwarf_Die& entry : children_of(unit)) {
    if (dwarf_tag(&entry) != DW_TAG_subprogram || dwarf_haspc(&entry, pc) != 1) continue;
    const std::vector<Dwarf_Die> around = table.around(declaration_of(entry));
    if (around.empty()) return std::nullopt;
    const Dwarf_Die type = user_type_in({around.front()}, table);
    if (type.addr == nullptr) return std::nullopt;
    return place_of(type, table);
  }
  return std::nullopt;
}

std::optional<SourcePlace> find_invoked(Dwarf_Die unit, std::uint64_t pc, ScopeTable& table) {
  Dwarf_Die* found = nullptr;
  const int count = dwarf_getscopes(&unit, pc, &found);
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> scopes(found, &std::free);
  for (int i = 0; i < count; ++i) {
    Dwarf_Die scope = scopes.get()[i];
    Dwarf_Die origin;
    if (follow(&scope, DW_AT_abstract_origin, &origin)) scope = origin;
    const char* const file = file_of(&scope, DW_AT_decl_file);
    if (dwarf_tag(&scope) != DW_TAG_subprogram || file == nullptr || !is_of_invoke(file)) continue;
    const Dwarf_Die type = user_type_in({scope, declaration_of(scope)}, table);
    if (type.addr != nullptr) return place_of(type, table);
  }
  return std::nullopt;
}

}  // namespace foretask::symbols
