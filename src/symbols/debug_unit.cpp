// SPDX-License-Identifier: Apache-2.0
#include "symbols/debug_unit.hpp"

#include <dwarf.h>

#include <algorithm>
#include <set>

#include "symbols/function_name.hpp"

namespace foretask::symbols {
namespace {

const char* string_of(Dwarf_Die* entry, unsigned name) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(entry, name, &attribute) == nullptr ? nullptr : dwarf_formstring(&attribute);
}

constexpr std::size_t kNoFunction = static_cast<std::size_t>(-1);
constexpr std::size_t kNoPiece = kNoFunction;

// The entry that an inlined or out-of-line copy was made from.
Dwarf_Die origin_of(Dwarf_Die entry) {
  Dwarf_Attribute attribute;
  Dwarf_Die origin;
  while (dwarf_attr(&entry, DW_AT_abstract_origin, &attribute) != nullptr &&
         dwarf_formref_die(&attribute, &origin) != nullptr)
    entry = origin;
  return entry;
}

int call_line_of(Dwarf_Die* entry) {
  Dwarf_Attribute attribute;
  Dwarf_Word line = 0;
  if (dwarf_attr(entry, DW_AT_call_line, &attribute) == nullptr || dwarf_formudata(&attribute, &line) != 0) return 0;
  return static_cast<int>(line);
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

DebugUnit::DebugUnit(Dwarf_Die unit, ScopeTable& scopes) {
  Dwarf_Die child;
  if (dwarf_child(&unit, &child) == 0) visit(&child, scopes);
  nest_pieces();
  read_lines(&unit);
}

// `entry` and all that follow it in its parent.
void DebugUnit::visit(Dwarf_Die* entry, ScopeTable& scopes) {
  do {
    const int tag = dwarf_tag(entry);
    if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
      Dwarf_Addr base = 0;
      Dwarf_Addr low = 0;
      Dwarf_Addr high = 0;
      for (std::ptrdiff_t at = 0; (at = dwarf_ranges(entry, at, &base, &low, &high)) > 0;)
        if (low < high) {
          const char* const file = tag == DW_TAG_inlined_subroutine ? file_of(entry, DW_AT_call_file) : nullptr;
          pieces_.push_back(
              {low, high, function_of(entry, scopes), kNoPiece, file == nullptr ? "" : file, call_line_of(entry)});
        }
    }
    Dwarf_Die child;
    if (dwarf_child(entry, &child) == 0) visit(&child, scopes);
  } while (dwarf_siblingof(entry, entry) == 0);
}

std::size_t DebugUnit::function_of(Dwarf_Die* entry, ScopeTable& scopes) {
  Dwarf_Die origin = origin_of(*entry);
  const auto [known, is_new] = function_by_origin_.try_emplace(dwarf_dieoffset(&origin), functions_.size());
  if (!is_new) return known->second;
  Function function;
  function.linker_name = linker_name_of(&origin, scopes);
  function.is_outlined = parse_outlined_name(function.linker_name).is_outlined;
  if (const char* const file = file_of(&origin, DW_AT_decl_file)) function.file = file;
  if (dwarf_decl_line(&origin, &function.line) != 0) function.line = 0;
  functions_.push_back(std::move(function));
  return known->second;
}

// Pieces lie within one another as the inlined calls do: a stack of the open ones gives the innermost everywhere.
void DebugUnit::nest_pieces() {
  std::stable_sort(pieces_.begin(), pieces_.end(),
                   [](const Piece& a, const Piece& b) { return a.low != b.low ? a.low < b.low : a.high > b.high; });
  std::size_t innermost = kNoPiece;
  const auto close_until = [this, &innermost](std::uint64_t address) {
    while (innermost != kNoPiece && pieces_[innermost].high <= address) {
      const std::uint64_t end = pieces_[innermost].high;
      innermost = pieces_[innermost].outer;
      segments_.push_back({end, innermost});
    }
  };
  for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
    close_until(pieces_[piece].low);
    pieces_[piece].outer = innermost;
    innermost = piece;
    segments_.push_back({pieces_[piece].low, piece});
  }
  close_until(UINT64_MAX);
}

std::size_t DebugUnit::piece_at(std::uint64_t pc) const {
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), pc,
                                      [](std::uint64_t address, const Segment& s) { return address < s.low; });
  return after == segments_.begin() ? kNoPiece : std::prev(after)->piece;
}

std::size_t DebugUnit::function_at(std::uint64_t pc) const {
  const std::size_t piece = piece_at(pc);
  return piece == kNoPiece ? kNoFunction : pieces_[piece].function;
}

void DebugUnit::read_lines(Dwarf_Die* unit) {
  Dwarf_Lines* table = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrclines(unit, &table, &count) != 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    Dwarf_Line* const row = dwarf_onesrcline(table, i);
    Line line;
    Dwarf_Addr address = 0;
    if (dwarf_lineaddr(row, &address) != 0 || dwarf_lineno(row, &line.line) != 0) continue;
    line.address = address;
    line.file = dwarf_linesrc(row, nullptr, nullptr);
    lines_.push_back(line);
    bool is_end = false;
    if (line.file == nullptr || dwarf_lineendsequence(row, &is_end) != 0 || is_end) continue;
    const std::size_t piece = piece_at(address);
    if (piece == kNoPiece || functions_[pieces_[piece].function].file != line.file) continue;
    Function& function = functions_[pieces_[piece].function];
    function.last_line = std::max(function.last_line, line.line);
    // Of several rows of one address only the last one has code.
    Dwarf_Addr next = 0;
    const bool has_code =
        i + 1 < count && dwarf_lineaddr(dwarf_onesrcline(table, i + 1), &next) == 0 && next != address;
    if (has_code && pieces_[piece].outer != kNoPiece)
      function.last_inlined_line = std::max(function.last_inlined_line, line.line);
  }
}

// The innermost of the functions that reach from their declaration over `line`; where the optimiser left none that
// does, the last one declared before.
std::string DebugUnit::enclosing_function(const std::string& file, int line) const {
  const Function* best = nullptr;
  bool best_reaches = false;
  std::set<std::string> names;  // instances of one template share a line
  for (const Function& function : functions_) {
    if (function.is_outlined || function.line == 0 || function.line > line || function.file != file) continue;
    const bool reaches = function.last_line >= line;
    if (best != nullptr && (best_reaches ? !reaches : !reaches && function.line < best->line)) continue;
    if (best != nullptr && best_reaches == reaches && function.line < best->line) continue;
    if (best == nullptr || function.line != best->line || reaches != best_reaches) names.clear();
    best = &function;
    best_reaches = reaches;
    names.insert(readable_function_name(function.linker_name));
  }
  if (names.empty()) return {};
  return names.size() == 1 ? *names.begin() : names.begin()->substr(0, names.begin()->find('<'));
}

bool DebugUnit::counts(std::size_t piece, int line, Site site) const {
  const Function& function = functions_[pieces_[piece].function];
  const bool is_inlined = pieces_[piece].outer != kNoPiece && pieces_[piece].call_line != 0;
  if (!is_inlined || site == Site::kCall) return true;
  if (site == Site::kSample) return !is_system_file(function.file);
  // A pragma has a line of its own, behind that of the function's declaration; the loop's body comes behind the pragma.
  return line > function.line && line < function.last_inlined_line;
}

std::optional<SourcePlace> DebugUnit::find_declaration(std::uint64_t pc) const {
  const std::size_t piece = piece_at(pc);
  if (piece == kNoPiece) return std::nullopt;
  std::size_t whole = piece;
  while (pieces_[whole].outer != kNoPiece) whole = pieces_[whole].outer;
  const Function& function = functions_[pieces_[whole].function];
  if (pieces_[whole].low != pc || function.line == 0) return std::nullopt;
  return SourcePlace{enclosing_function(function.file, function.line), function.file, function.line};
}

std::optional<SourcePlace> DebugUnit::find(std::uint64_t pc, Site site) const {
  std::size_t piece = piece_at(pc);
  if (piece == kNoPiece) return std::nullopt;
  std::size_t whole = piece;
  while (pieces_[whole].outer != kNoPiece) whole = pieces_[whole].outer;
  const Function& entered = functions_[pieces_[whole].function];
  if (site == Site::kCall && pieces_[whole].low == pc && !entered.is_outlined && entered.line != 0)
    return SourcePlace{readable_function_name(entered.linker_name), entered.file, entered.line};
  const std::size_t innermost = pieces_[piece].function;
  SourcePlace place;

  // Line 0 marks code that the optimiser merged: what stands before it is nearest.
  auto row = std::upper_bound(lines_.begin(), lines_.end(), pc,
                              [](std::uint64_t address, const Line& line) { return address < line.address; });
  while (row != lines_.begin() && place.line == 0) {
    --row;
    if (function_at(row->address) != innermost) break;
    place.line = row->line;
    if (row->file != nullptr) place.file = row->file;
  }
  if (place.line == 0) {
    place.line = functions_[innermost].line;
    place.file = functions_[innermost].file;
  }
  while (!counts(piece, place.line, site)) {
    place.line = pieces_[piece].call_line;
    place.file = pieces_[piece].call_file;
    piece = pieces_[piece].outer;
  }

  const Function& function = functions_[pieces_[piece].function];
  const OutlinedName outlined = parse_outlined_name(function.linker_name);
  if (!outlined.is_outlined) {
    place.function = readable_function_name(function.linker_name);
  } else if (!outlined.parent.empty()) {
    place.function = readable_function_name(outlined.parent);
  } else {
    place.function = enclosing_function(place.file, place.line);
  }
  return place;
}

}  // namespace foretask::symbols
