// SPDX-License-Identifier: Apache-2.0
// The libraries of a program, as glibc's loader lists them, and which libomp there is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/launch/elf_program.hpp"
#include "cli/launch/program_image.hpp"

namespace foretask::cli {

struct LoadedLibrary {
  std::string name;  // as the program asks for it
  std::string path;  // empty: not found
};

// All libraries, direct and indirect, that `path` would start with in this environment. Empty where the loader is not
// glibc's or refuses. Runs the loader (ld.so --list), which takes some 1 ms; never the program.
[[nodiscard]] std::vector<LoadedLibrary> libraries_of(const std::string& path, const ElfProgram& program,
                                                      ChildEnvironment& environment);

// The first of them whose name is `wanted`; null: there is none.
[[nodiscard]] const LoadedLibrary* find_library(const std::vector<LoadedLibrary>& libraries,
                                                bool (*wanted)(std::string_view name));

// Has `file` loaded before the others; a sanitizer's runtime among `libraries` insists on coming before that.
void preload(const std::string& file, const std::vector<LoadedLibrary>& libraries, ChildEnvironment& environment);

// The file that dlopen(name) would load here; empty: none. Loads it in a process of its own.
[[nodiscard]] std::string find_shared_library(const std::string& name);

// LLVM OpenMP runtimes on this machine: what the loader finds, then those in /usr/lib/llvm-*, newest first.
[[nodiscard]] std::vector<std::string> find_libomp();

}  // namespace foretask::cli
