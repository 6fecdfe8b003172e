// SPDX-License-Identifier: Apache-2.0
#include "loose_tasks.hpp"

#include <utility>

namespace foretask::tbb {

void LooseTasks::add(const Context* context, std::uint64_t name) {
  if (!context || name == 0) return;
  const std::lock_guard lock(mutex_);
  names_[context].push_back(name);
  count_.store(names_.size(), std::memory_order_relaxed);
}

std::vector<std::uint64_t> LooseTasks::take(const Context* context) {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(context);
  if (found == names_.end()) return {};
  std::vector<std::uint64_t> taken = std::move(found->second);
  names_.erase(found);
  count_.store(names_.size(), std::memory_order_relaxed);
  return taken;
}

LooseTasks& loose_tasks() {
  static auto* const tasks = new LooseTasks;  // libtbb's threads may outlive the program's end
  return *tasks;
}

}  // namespace foretask::tbb
