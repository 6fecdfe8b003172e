// SPDX-License-Identifier: Apache-2.0
#include "symbols/module_offset.hpp"

#include <fmt/format.h>

namespace foretask::symbols {

const CodeModule* find_module(const std::vector<CodeModule>& modules, std::uint64_t return_address) {
  for (const CodeModule& module : modules)
    if (return_address > module.begin && return_address <= module.end) return &module;
  return nullptr;
}

std::string module_offset(const CodeModule* module, std::uint64_t return_address) {
  if (module == nullptr) return fmt::format("{:#x}", return_address);
  return fmt::format("{}+{:#x}", module->path.substr(module->path.rfind('/') + 1), return_address - module->bias);
}

}  // namespace foretask::symbols
