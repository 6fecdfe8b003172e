// SPDX-License-Identifier: Apache-2.0
#include "base/fingerprint.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace foretask::base {

std::uint64_t fingerprint_number(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

std::string fingerprint(std::string_view text) {
  std::array<char, 17> hex{};
  std::snprintf(hex.data(), hex.size(), "%016llx", static_cast<unsigned long long>(fingerprint_number(text)));
  return hex.data();
}

}  // namespace foretask::base
