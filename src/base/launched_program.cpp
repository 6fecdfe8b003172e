// SPDX-License-Identifier: Apache-2.0
#include "base/launched_program.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>

namespace foretask::base {
namespace {

bool take_number(std::string_view& text, char end, std::size_t& number) noexcept {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest == text.data() + text.size() || *rest != end) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()) + 1);
  return true;
}

bool take_own_process(std::string_view& text) noexcept {
  std::size_t process = 0;
  return take_number(text, ' ', process) && process == static_cast<std::size_t>(::getpid());
}

}  // namespace

bool is_said_of_this_process(std::string_view text) noexcept { return take_own_process(text); }

std::optional<std::string_view> said_of_this_program(std::string_view text) noexcept {
  std::size_t length = 0;
  if (!take_own_process(text)) return std::nullopt;
  if (!take_number(text, ':', length) || length > text.size()) return std::nullopt;
  // As it was given to execve(), of a script as well.
  const auto* const path = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  if (path == nullptr || text.substr(0, length) != path) return std::nullopt;
  text.remove_prefix(length);
  return text;
}

}  // namespace foretask::base
