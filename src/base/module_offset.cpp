// SPDX-License-Identifier: Apache-2.0
#include "base/module_offset.hpp"

#include <array>
#include <charconv>

namespace foretask::base {
namespace {

constexpr std::string_view kSign = "+0x";

}  // namespace

std::string module_offset_text(std::string_view path, std::uint64_t offset) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), offset, 16).ptr;
  std::string text(path.substr(path.rfind('/') + 1));
  return text.append(kSign).append(digits.data(), end);
}

std::optional<ModuleOffset> parse_module_offset(std::string_view text) noexcept {
  const std::size_t sign = text.rfind(kSign);
  if (sign == std::string_view::npos) return std::nullopt;
  ModuleOffset parsed;
  parsed.module = text.substr(0, sign);
  const char* const digits = text.data() + sign + kSign.size();
  const auto [end, error] = std::from_chars(digits, text.data() + text.size(), parsed.offset, 16);
  if (error != std::errc()) return std::nullopt;
  parsed.behind = text.substr(static_cast<std::size_t>(end - text.data()));
  return parsed;
}

}  // namespace foretask::base
