// SPDX-License-Identifier: Apache-2.0
// The programs and libraries mapped into this process, so that code addresses can be named after the run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/process_facts.hpp"

namespace foretask::runtime {

// Walks the dynamic linker's list; takes its lock. Not for the hot path.
[[nodiscard]] std::vector<trace::Module> read_modules();

// The one that the code lies in; nothing outside of all. As read_modules().
[[nodiscard]] std::optional<trace::Module> find_module(const void* code);

// Where in which file a code address lies. As read_modules().
struct CodePlace {
  std::string name;    // "module+0xoffset"; "code+0xaddress" outside of all files
  std::string module;  // the file's path
};
[[nodiscard]] CodePlace place_of_code(const void* code);

// How often a program or library was unloaded so far; 0 where the system does not say. Takes the dynamic linker's lock,
// some 100 ns.
[[nodiscard]] std::uint64_t count_unloads();

}  // namespace foretask::runtime
