// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/loop_calls.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/launch/shared_libraries.hpp"

namespace foretask::cli {
namespace {

// GCC's are LLVM's in disguise: what libomp does of them calls its own by name. Those of loops that count down must be
// turned round besides (gomp_down_loops.cpp and gomp_taskloop.cpp in runtime_hooks/ompt).
constexpr std::array<std::string_view, 8> kLoopCalls{
    "__kmpc_for_static_init", "__kmpc_dispatch_init",   "GOMP_loop",     "GOMP_parallel_loop",
    "GOMP_sections",          "GOMP_parallel_sections", "GOMP_taskloop", "GOMP_doacross"};

bool calls_loops(const ElfProgram& part) {
  return std::any_of(part.imports.begin(), part.imports.end(), [](const ElfSymbol& symbol) {
    return std::any_of(kLoopCalls.begin(), kLoopCalls.end(),
                       [&symbol](std::string_view start) { return symbol.name.starts_with(start); });
  });
}

// The runtime would start that tool instead of the hook; the hook, where it comes first, runs beside it.
bool is_tool(const ElfProgram& library) {
  return std::any_of(library.exports.begin(), library.exports.end(),
                     [](const ElfSymbol& symbol) { return symbol.name == "ompt_start_tool"; });
}

bool is_runtime(std::string_view name) {
  return name.starts_with("libgomp.so") || name.starts_with("libomp") || name.starts_with("libiomp");
}

}  // namespace

void show_loop_calls(const std::string& path, const ElfProgram& program, const std::string& hook,
                     ChildEnvironment& environment) {
  const auto libraries = libraries_of(path, program, environment);
  if (find_library(libraries, is_runtime) == nullptr) return;
  const bool calls = calls_loops(program) || std::any_of(libraries.begin(), libraries.end(), [](const auto& library) {
                       if (library.path.empty() || is_runtime(library.name)) return false;
                       const auto part = read_elf_program(library.path);
                       return part && part->is_native() && (calls_loops(*part) || is_tool(*part));
                     });
  if (calls) preload(hook, libraries, environment);
}

}  // namespace foretask::cli
