// SPDX-License-Identifier: Apache-2.0
#include "declared_order.hpp"

#include <utility>

namespace foretask::starpu {

void DeclaredOrder::declare(Declared later, std::span<const Declared> earlier) {
  is_used_.store(true);
  const std::lock_guard lock(mutex_);
  Node& node = nodes_[later];
  node.earlier.insert(node.earlier.end(), earlier.begin(), earlier.end());
}

std::uint64_t DeclaredOrder::name_of(const Declared& one) {
  if (!one.is_tag) return names_.find(reinterpret_cast<const starpu_task*>(one.value));
  const auto found = nodes_.find(one);
  return found == nodes_.end() ? 0 : found->second.name;
}

DeclaredLinks DeclaredOrder::created(const starpu_task& task, std::uint64_t name, bool is_empty) {
  DeclaredLinks links;
  if (task.use_tag) is_used_.store(true);
  if (!is_used_.load()) {
    if (is_empty) links.told.push_back(name);
    return links;
  }
  const std::lock_guard lock(mutex_);
  const auto create = [&](Declared key) {
    const auto found = nodes_.find(key);
    if (found == nodes_.end()) return;
    Node& node = found->second;
    for (const Declared& earlier : std::exchange(node.earlier, {})) {
      if (const std::uint64_t known = name_of(earlier)) {
        links.after.push_back(known);
      } else {
        nodes_[earlier].waiting.push_back(name);
        ++links.missing;
      }
    }
    for (const std::uint64_t later : std::exchange(node.waiting, {})) {
      links.before.push_back(later);
      const auto untold = untold_.find(later);
      if (untold == untold_.end() || --untold->second != 0) continue;
      links.told.push_back(later);
      untold_.erase(untold);
    }
  };
  create(declared_task(&task));
  nodes_.erase(declared_task(&task));
  if (task.use_tag) {
    nodes_[declared_tag(task.tag_id)].name = name;
    create(declared_tag(task.tag_id));
  }
  if (is_empty && links.missing == 0) links.told.push_back(name);
  if (is_empty && links.missing != 0) untold_[name] = links.missing;
  return links;
}

std::uint64_t DeclaredOrder::find(starpu_tag_t tag) {
  const std::lock_guard lock(mutex_);
  return name_of(declared_tag(tag));
}

void DeclaredOrder::forget(Declared one) {
  if (!is_used_.load()) return;
  const std::lock_guard lock(mutex_);
  nodes_.erase(one);
}

}  // namespace foretask::starpu
