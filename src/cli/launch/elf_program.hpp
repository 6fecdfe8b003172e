// SPDX-License-Identifier: Apache-2.0
// What an executable or a library says of itself in its ELF headers: is it for this machine, is it static, which shared
// libraries does it name, and which of their functions does it call. Reads the file only; nothing in it is trusted.
#pragma once

#include <string>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::cli {

struct ElfSymbol {
  std::string name;
  std::string version;  // version node, empty where there is none
  std::string library;  // undefined symbols: the library that the version is asked of, where it says
};

struct ElfProgram {
  enum class Kind { kElf, kScript, kOther };
  Kind kind = Kind::kOther;
  std::string interpreter;  // ELF: the dynamic loader, empty in a static program; script: what follows #!
  std::string machine;      // of a foreign program: "32-bit", "AArch64", ...; empty where this machine runs it
  std::vector<std::string> needed;
  std::vector<ElfSymbol> imports;  // undefined and not weak
  std::vector<ElfSymbol> exports;
  std::string build_id;             // in hex; empty where it has none
  bool has_libgomp_inside = false;  // defines GOMP_parallel itself: linked with libgomp.a
  // Defines oneTBB's functions itself, as one linked with libtbb.a does. Of one without a symbol table: has oneTBB's
  // version among its constants.
  bool has_tbb_inside = false;

  [[nodiscard]] bool is_native() const { return kind == Kind::kElf && machine.empty(); }
  [[nodiscard]] bool is_static() const { return is_native() && interpreter.empty() && needed.empty(); }
};

// The error is for a file that cannot be read. What is damaged inside is left out.
[[nodiscard]] Result<ElfProgram> read_elf_program(const std::string& path);

}  // namespace foretask::cli
