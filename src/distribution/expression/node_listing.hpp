// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

#include "distribution/expression/node.hpp"

namespace foretask::distribution {

using NodePtr = std::shared_ptr<const analysis::Distribution::Node>;

// The nodes, children first, each once, and how often each is used.
struct Listing {
  std::vector<NodePtr> nodes;
  std::unordered_map<const analysis::Distribution::Node*, std::size_t> index;
  std::vector<std::size_t> uses;
  std::vector<NodeKind> parent;  // the last one's kind
};
// O(nodes), without recursion.
[[nodiscard]] Listing listing_of(const NodePtr& root);

}  // namespace foretask::distribution
