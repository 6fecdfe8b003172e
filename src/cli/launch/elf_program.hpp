// SPDX-License-Identifier: Apache-2.0
// The ELF headers of an executable or a library: its machine, whether it is static, the shared libraries that it names,
// and their functions that it calls. Reads the file only; nothing in it is trusted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::cli {

// The parts of a file that the dynamic loader reads to find the libraries it needs.
struct ElfLinks {
  std::string interpreter;  // the dynamic loader; empty in a static program and in most libraries
  std::vector<std::string> needed;
};

struct ElfProgram : ElfLinks {
  enum class Kind { kElf, kScript, kOther };
  Kind kind = Kind::kOther;          // of a script the interpreter is what follows #!
  std::string machine;               // of a foreign program: "32-bit", "AArch64", ...; empty where this machine runs it
  std::vector<std::string> imports;  // names of its undefined symbols that are not weak
  std::vector<std::string> exports;
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

// The links alone, some ten times as quick. The error is also for what is no library of this machine's.
[[nodiscard]] Result<ElfLinks> read_elf_links(const std::string& path);

// The build id alone. Empty if there is none, or the file is no library of this machine's.
[[nodiscard]] std::string read_build_id(const std::string& path);

}  // namespace foretask::cli
