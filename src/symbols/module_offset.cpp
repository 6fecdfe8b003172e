// SPDX-License-Identifier: Apache-2.0
#include "symbols/module_offset.hpp"

#include <fmt/format.h>

namespace foretask::symbols {

const CodeModule* find_module(const std::vector<CodeModule>& modules, std::uint64_t return_address) {
  for (const CodeModule& module : modules)
    if (return_address > module.begin && return_address <= module.end) return &module;
  return nullptr;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_recorder(const std::vector<CodeModule>& modules, std::uint64_t address) {
  const CodeModule* const module = find_module(modules, address + 1);
  return module != nullptr && file_name(module->path).starts_with("libforetask");
}

std::string module_offset(const CodeModule* module, std::uint64_t return_address) {
  if (module == nullptr) return fmt::format("{:#x}", return_address);
  return fmt::format("{}+{:#x}", file_name(module->path), return_address - module->bias);
}

}  // namespace foretask::symbols
