// SPDX-License-Identifier: Apache-2.0
#include "base/fingerprint.hpp"

#include "base/number_text.hpp"

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
  return text_of("%016llx", static_cast<unsigned long long>(fingerprint_number(text)));
}

}  // namespace foretask::base
