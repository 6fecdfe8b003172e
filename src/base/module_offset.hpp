// SPDX-License-Identifier: Apache-2.0
// A code address by its module: "module+0xoffset". Kernels without a better name are called so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace foretask::base {

// Of the module whose file is at `path`, without its folder.
[[nodiscard]] std::string module_offset_text(std::string_view path, std::uint64_t offset);

struct ModuleOffset {
  std::string_view module;
  std::uint64_t offset = 0;
  std::string_view behind;  // what follows the offset
};
// Of the last one in the text; nothing where there is none, or none of 64 bits. The views are of `text`.
[[nodiscard]] std::optional<ModuleOffset> parse_module_offset(std::string_view text) noexcept;

}  // namespace foretask::base
