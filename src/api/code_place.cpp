// SPDX-License-Identifier: Apache-2.0
#include "api/code_place.hpp"

#include <array>
#include <charconv>

#include "record/module_map.hpp"

namespace foretask::api {

std::string place_name(std::string_view path, std::uint64_t offset) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), offset, 16).ptr;
  return std::string(path.substr(path.rfind('/') + 1)) + "+0x" + std::string(digits.data(), end);
}

CodePlace place_of_code(const void* code) {
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  if (const auto module = record::find_module(code))
    return {place_name(module->path, address - module->base), module->path};
  return {place_name("code", address), {}};
}

}  // namespace foretask::api
