// SPDX-License-Identifier: Apache-2.0
// In the place of symbols_libdw.cpp where there is no libdw: addresses without names.
#include <unordered_map>
#include <utility>

#include "symbols/module_offset.hpp"
#include "symbols/symbols.hpp"

namespace foretask::symbols {

struct SymbolResolver::Impl {
  std::vector<CodeModule> modules;
  std::unordered_map<std::uint64_t, std::string> names;
  std::unordered_map<std::uint64_t, std::string> functions;
  std::string no_file;
  std::vector<std::string> warnings{"built without libdw: kernels are shown by address"};
};

SymbolResolver::SymbolResolver(std::vector<CodeModule> modules) : impl_(std::make_unique<Impl>()) {
  impl_->modules = std::move(modules);
}
SymbolResolver::SymbolResolver(SymbolResolver&&) noexcept = default;
SymbolResolver& SymbolResolver::operator=(SymbolResolver&&) noexcept = default;
SymbolResolver::~SymbolResolver() = default;

const std::string& SymbolResolver::name(std::uint64_t return_address, bool /*is_loop*/) {
  const auto [entry, is_new] = impl_->names.try_emplace(return_address);
  if (is_new) entry->second = module_offset(find_module(impl_->modules, return_address), return_address);
  return entry->second;
}

const std::string& SymbolResolver::file(std::uint64_t /*return_address*/, bool /*is_loop*/) { return impl_->no_file; }

const std::string& SymbolResolver::function(std::uint64_t address) {
  const auto [entry, is_new] = impl_->functions.try_emplace(address);
  const CodeModule* const module = find_module(impl_->modules, address + 1);
  if (is_new) entry->second = module == nullptr ? "(no file)" : "(" + file_name(module->path) + ")";
  return entry->second;
}

bool SymbolResolver::is_recorder(std::uint64_t address) const { return symbols::is_recorder(impl_->modules, address); }

const std::vector<std::string>& SymbolResolver::warnings() const { return impl_->warnings; }

}  // namespace foretask::symbols
