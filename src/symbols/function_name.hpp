// SPDX-License-Identifier: Apache-2.0
// Linker names as a user wrote them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace foretask::symbols {

// What a compiler called the code that it took out of a function, or made, for OpenMP.
struct OutlinedName {
  bool is_outlined = false;
  std::string parent;  // linker name of the function it was taken from; empty where the name does not say
};

// GCC: "PARENT._omp_fn.0"; Clang 17 and later: "PARENT.omp_outlined"; Clang before: ".omp_outlined..7". A helper of
// Clang's: ".omp.reduction.reduction_func".
[[nodiscard]] OutlinedName parse_outlined_name(std::string_view linker_name);

// A C++ linker name's declaration, without anonymous namespaces; nothing of another name.
[[nodiscard]] std::optional<std::string> demangled(const std::string& linker_name);

// "_ZN3lin6kernelI4TileEEvRT_i" -> "lin::kernel<Tile>": qualified, without parameters, return type,
// clone suffixes and anonymous namespaces.
// What is no C++ linker name is given back as it is.
[[nodiscard]] std::string readable_function_name(const std::string& linker_name);

}  // namespace foretask::symbols
