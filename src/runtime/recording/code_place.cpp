// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/code_place.hpp"

#include <array>
#include <charconv>

#include "runtime/recording/module_map.hpp"

namespace foretask::runtime {

std::string place_name(std::string_view path, std::uint64_t offset) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), offset, 16).ptr;
  return std::string(path.substr(path.rfind('/') + 1)) + "+0x" + std::string(digits.data(), end);
}

CodePlace place_of_code(const void* code) {
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  if (const auto module = runtime::find_module(code))
    return {place_name(module->path, address - module->base), module->path};
  return {place_name("code", address), {}};
}

}  // namespace foretask::runtime
