// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/kernel_registry.hpp"

#include <algorithm>
#include <utility>

namespace foretask::runtime {
namespace {

// The length of the UTF-8 sequence at `text`'s beginning, 0 where there is none (RFC 3629).
std::size_t sequence_length(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto continues = [&byte](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool is_name(std::string_view text) noexcept {
  if (text.empty() || text.size() > FORETASK_MAX_NAME) return false;
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    if (first < 0x20 || first == 0x7F) return false;
    const std::size_t length = sequence_length(text);
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
