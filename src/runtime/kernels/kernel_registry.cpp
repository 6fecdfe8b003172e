// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/kernel_registry.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"

namespace foretask::runtime {

bool is_name(std::string_view text) noexcept {
  if (text.empty() || text.size() > FORETASK_MAX_NAME) return false;
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    if (first < 0x20 || first == 0x7F) return false;
    const std::size_t length = base::utf8_length(text.data(), text.data() + text.size());
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

KernelRegistry& KernelRegistry::instance() {
  static auto* const registry = new KernelRegistry;
  return *registry;
}

KernelRegistry::Defined KernelRegistry::define(Definition definition) {
  if (!is_name(definition.name)) return {.status = FORETASK_BAD_NAME};
  for (auto name = definition.parameters.begin(); name != definition.parameters.end(); ++name) {
    if (!is_name(*name)) return {.status = FORETASK_BAD_NAME};
    if (std::find(definition.parameters.begin(), name, *name) != name) return {.status = FORETASK_DUPLICATE};
  }
  const std::lock_guard lock(mutex_);
  if (const auto there = by_name_.find(definition.name); there != by_name_.end()) {
    if (there->second->learned.shape().parameters != definition.parameters) return {.status = FORETASK_DUPLICATE};
    return {.kernel = there->second};
  }
  auto kernel = std::make_unique<foretask_kernel>(
      static_cast<std::uint32_t>(kernels_.size()), std::string(definition.name), std::move(definition.code_version),
      model::KernelShape{std::move(definition.parameters), std::move(definition.terms)});
  kernel->keeps_version = definition.keeps_version;
  foretask_kernel* const result = kernel.get();
  kernels_.push_back(std::move(kernel));
  by_name_.emplace(result->name, result);
  return {.kernel = result, .is_new = true};
}

foretask_kernel* KernelRegistry::find(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto there = by_name_.find(name);
  return there == by_name_.end() ? nullptr : there->second;
}

std::vector<foretask_kernel*> KernelRegistry::all() {
  const std::lock_guard lock(mutex_);
  return all_unlocked();
}

std::vector<foretask_kernel*> KernelRegistry::all_unlocked() {
  std::vector<foretask_kernel*> result;
  for (const auto& kernel : kernels_) result.push_back(kernel.get());
  return result;
}

}  // namespace foretask::runtime
