// SPDX-License-Identifier: Apache-2.0
#include "distribution/expression/node_listing.hpp"

#include <utility>

namespace foretask::distribution {

Listing listing_of(const NodePtr& root) {
  Listing list;
  std::vector<std::pair<NodePtr, std::size_t>> open{{root, 0}};
  std::unordered_map<const analysis::Distribution::Node*, bool> seen{{root.get(), true}};
  while (!open.empty()) {
    auto& [node, next] = open.back();
    if (next < node->children.size()) {
      const NodePtr& child = node->children[next++];
      if (seen.emplace(child.get(), true).second) open.emplace_back(child, 0);
    } else {
      list.index.emplace(node.get(), list.nodes.size());
      list.nodes.push_back(node);
      open.pop_back();
    }
  }
  list.uses.assign(list.nodes.size(), 0);
  list.parent.assign(list.nodes.size(), NodeKind::constant);
  for (const NodePtr& node : list.nodes)
    for (const NodePtr& child : node->children) {
      const std::size_t at = list.index.at(child.get());
      ++list.uses[at];
      list.parent[at] = node->kind;
    }
  return list;
}

}  // namespace foretask::distribution
