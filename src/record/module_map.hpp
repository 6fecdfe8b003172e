// SPDX-License-Identifier: Apache-2.0
// The programs and libraries mapped into this process, so that code addresses can be named after the run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace foretask::record {

struct Module {
  std::string path;
  std::uint64_t base = 0;   // load bias: address in memory minus address in the file
  std::uint64_t begin = 0;  // first and one past the last mapped address
  std::uint64_t end = 0;
  std::string build_id;  // hex; empty when the file has none
};

// Walks the dynamic linker's list; takes its lock. Not for the hot path.
[[nodiscard]] std::vector<Module> read_modules();

// The one that the code lies in; nothing outside of all. As read_modules().
[[nodiscard]] std::optional<Module> find_module(const void* code);

}  // namespace foretask::record
