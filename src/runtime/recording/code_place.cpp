// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/code_place.hpp"

#include <cstdint>

#include "base/module_offset.hpp"
#include "runtime/recording/module_map.hpp"

namespace foretask::runtime {

CodePlace place_of_code(const void* code) {
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  if (const auto module = runtime::find_module(code))
    return {base::module_offset_text(module->path, address - module->base), module->path};
  return {base::module_offset_text("code", address), {}};
}

}  // namespace foretask::runtime
