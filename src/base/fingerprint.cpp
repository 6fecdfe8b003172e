// SPDX-License-Identifier: Apache-2.0
#include "base/fingerprint.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace foretask::base {

std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  std::array<char, 17> hex{};
  std::snprintf(hex.data(), hex.size(), "%016llx", static_cast<unsigned long long>(hash));
  return hex.data();
}

}  // namespace foretask::base
