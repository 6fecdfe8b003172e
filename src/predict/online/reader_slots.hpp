// SPDX-License-Identifier: Apache-2.0
// The writer's view of the readers (read_section.hpp).
#pragma once

#include <cstddef>
#include <span>

#include "predict/online/read_section.hpp"

namespace foretask::predict {

inline constexpr std::size_t kReaderSlots = 1024;

[[nodiscard]] std::span<ReaderSlot> reader_slots() noexcept;

}  // namespace foretask::predict
