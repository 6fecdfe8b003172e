// SPDX-License-Identifier: Apache-2.0
// Code addresses: as hooks pass them, and the modules that they lie in.
#pragma once

#include <cstdint>

namespace foretask::kit {

// The kernel of what runs the function: names are looked up one byte before the address that a hook passes, which a
// call returns to.
template <typename Function>
[[nodiscard]] const void* code_of(Function function) noexcept {
  return reinterpret_cast<const char*>(function) + 1;
}

// Where a program or a library lies in memory.
struct Module {
  std::uintptr_t begin = 0;
  std::uintptr_t bytes = 0;
  std::uintptr_t segment_end = 0;  // of the part that holds the address asked for
  bool is_code = false;            // that part is
  bool is_program = false;
  [[nodiscard]] bool holds(const void* address) const noexcept {
    return reinterpret_cast<std::uintptr_t>(address) - begin < bytes;
  }
};

// The module that holds the address; empty: none does. Takes the dynamic linker's lock; some us.
[[nodiscard]] Module find_module(const void* address) noexcept;

}  // namespace foretask::kit
