// SPDX-License-Identifier: Apache-2.0
// Addresses that nothing better is known of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbols/symbols.hpp"

namespace foretask::symbols {

// The module that the call before `return_address` lies in, or null.
[[nodiscard]] const CodeModule* find_module(const std::vector<CodeModule>& modules, std::uint64_t return_address);

// "libfoo.so" of "/usr/lib/libfoo.so".
[[nodiscard]] std::string file_name(const std::string& path);

// Whether `address` is in one of foretask's own libraries.
[[nodiscard]] bool is_recorder(const std::vector<CodeModule>& modules, std::uint64_t address);

// "libfoo.so+0x1234", the offset as a disassembler shows it; "0xaddress" without a module.
[[nodiscard]] std::string module_offset(const CodeModule* module, std::uint64_t return_address);

}  // namespace foretask::symbols
