// SPDX-License-Identifier: Apache-2.0
// Finds the libraries of a program by the rules of glibc's loader (ld.so(8)), from the files' dynamic sections and
// ld.so.cache. The loader itself maps every library, which takes several times as long.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/launch/child_environment.hpp"
#include "cli/launch/elf_program.hpp"

namespace foretask::cli {

struct LoadedLibrary {
  std::string name;                 // as the program asks for it
  std::string path;                 // empty: not found
  std::vector<std::string> needed;  // the names that it asks for itself
};

// All libraries, direct and indirect, that `path` would start with in this environment, in the loader's order. Nothing
// where only the loader can tell: it is another one than this process's, a library is missing, or a folder has
// libraries for some processors alone.
[[nodiscard]] std::optional<std::vector<LoadedLibrary>> search_libraries(const std::string& path,
                                                                         const ElfProgram& program,
                                                                         const ChildEnvironment& environment);

}  // namespace foretask::cli
