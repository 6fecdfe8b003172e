// SPDX-License-Identifier: Apache-2.0
// The functions of one compilation unit's debug information, by code address and by source line. One thread.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "symbols/scope_table.hpp"

namespace foretask::symbols {

// Headers of the compiler, the C++ library and installed libraries.
[[nodiscard]] bool is_system_file(std::string_view path);

// The linker name; for a function without one (C, or local in C++) its own behind those of the scopes around it.
[[nodiscard]] std::string linker_name_of(Dwarf_Die* entry, ScopeTable& scopes);

// As dwarf_decl_file, which takes DWARF 5's file 0, the unit's own, for none. Null where the entry names none.
// `name`: of the attribute.
[[nodiscard]] const char* file_of(Dwarf_Die* entry, unsigned name);

struct SourcePlace {
  std::string function;  // readable
  std::string file;      // path as compiled
  int line = 0;
};

class DebugUnit {
 public:
  // Reads the whole unit: some ms for a large one.
  DebugUnit(Dwarf_Die unit, ScopeTable& scopes);

  // What an address is: a call, that of a loop for its iterations, or where a thread was.
  enum class Site { kCall, kLoop, kSample };

  // The innermost function, inlined ones included, at `pc` (an address in the file). Code that was taken out of a
  // function for OpenMP is given to the function whose source holds its line. Of a loop no inlined function counts that
  // can hold none: compilers give a loop's call the line of what its bounds call. Of a sample none counts that a system
  // header declares, where it was inlined into another. A function's first instruction is no call in it, but stands for
  // the function: its place is where it is declared.
  [[nodiscard]] std::optional<SourcePlace> find(std::uint64_t pc, Site site) const;

  // Where the function that begins at `pc` is declared, by the name of the one around it in the source. Nothing where
  // the unit does not say, as GCC's do not of code that was taken out of a function.
  [[nodiscard]] std::optional<SourcePlace> find_declaration(std::uint64_t pc) const;

 private:
  struct Function {
    std::string linker_name;
    std::string file;
    int line = 0;               // where it is declared
    int last_line = 0;          // the last one that code of its own comes from
    int last_inlined_line = 0;  // the same of its inlined copies
    bool is_outlined = false;
  };
  struct Piece {  // of a function's code
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::size_t function = 0;
    std::size_t outer = 0;  // the piece that this one was inlined into
    std::string call_file;  // where it was inlined
    int call_line = 0;
  };
  struct Segment {  // from `low` to the next one's, this piece is the innermost
    std::uint64_t low = 0;
    std::size_t piece = 0;
  };
  struct Line {
    std::uint64_t address = 0;
    const char* file = nullptr;  // owned by the debug information
    int line = 0;
  };

  void visit(Dwarf_Die* entry, ScopeTable& scopes);
  std::size_t function_of(Dwarf_Die* entry, ScopeTable& scopes);
  void nest_pieces();
  void read_lines(Dwarf_Die* unit);
  [[nodiscard]] std::size_t piece_at(std::uint64_t pc) const;
  [[nodiscard]] std::size_t function_at(std::uint64_t pc) const;
  [[nodiscard]] bool counts(std::size_t piece, int line, Site site) const;
  [[nodiscard]] std::string enclosing_function(const std::string& file, int line) const;

  std::vector<Function> functions_;
  std::unordered_map<Dwarf_Off, std::size_t> function_by_origin_;
  std::vector<Piece> pieces_;
  std::vector<Segment> segments_;
  std::vector<Line> lines_;
};

}  // namespace foretask::symbols
