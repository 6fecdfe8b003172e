// SPDX-License-Identifier: Apache-2.0
// HOT: an event of several fields, by their types of one word or two.
#pragma once

#include <cstdint>
#include <cstring>

#include "foretask/hook.h"

namespace foretask::kit {

template <typename... Fields>
void record(foretask_stream* stream, std::uint32_t kind, const Fields&... fields) noexcept {
  static_assert(((sizeof(Fields) == 4 || sizeof(Fields) == 8) && ...));
  std::uint32_t words[(sizeof(Fields) + ...) / 4];
  std::uint32_t* word = words;
  ((std::memcpy(word, &fields, sizeof fields), word += sizeof fields / 4), ...);
  foretask_record_extended_(stream, kind, words, sizeof words / 4);
}

}  // namespace foretask::kit
