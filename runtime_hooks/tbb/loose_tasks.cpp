// SPDX-License-Identifier: Apache-2.0
#include "loose_tasks.hpp"

#include <utility>

namespace foretask::tbb {

void LooseTasks::add(const Context* context, std::uint64_t name) {
  if (!context || name == 0) return;
  Shard& shard = shard_of(context);
  const std::lock_guard lock(shard.mutex);
  shard.names[context].push_back(name);
  shard.contexts.store(shard.names.size(), std::memory_order_relaxed);
}

std::vector<std::uint64_t> LooseTasks::take(const Context* context) {
  Shard& shard = shard_of(context);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.names.find(context);
  if (found == shard.names.end()) return {};
  std::vector<std::uint64_t> taken = std::move(found->second);
  shard.names.erase(found);
  shard.contexts.store(shard.names.size(), std::memory_order_relaxed);
  return taken;
}

LooseTasks& loose_tasks() {
  static auto* const tasks = new LooseTasks;  // libtbb's threads may outlive the program's end
  return *tasks;
}

}  // namespace foretask::tbb
