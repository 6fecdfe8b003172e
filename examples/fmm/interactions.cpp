// SPDX-License-Identifier: Apache-2.0
#include "fmm/interactions.hpp"

#include <map>

namespace fmm {
namespace {

// `for_each(target, visit)` visits the cells that `target` has to do with.
template <class ForEach>
std::vector<GroupPair> pairs_of_groups(const Level& level, ForEach for_each) {
  std::vector<GroupPair> pairs;
  for (int group = 0; group < level.groups(); ++group) {
    std::map<int, std::vector<Link>> links;  // by the source's group
    const Range cells = level.group(group);
    for (int target = cells.begin; target < cells.end; ++target)
      for_each(target, [&](int source) {
        if (!cells.contains(source)) links[level.group_of(source)].push_back({target, source});
      });
    for (auto& [source_group, list] : links) {
      list.shrink_to_fit();
      pairs.push_back({group, source_group, std::move(list)});
    }
  }
  return pairs;
}

}  // namespace

std::vector<GroupPair> far_pairs(const GroupTree& tree, int depth) {
  const Level& level = tree.level(depth);
  return pairs_of_groups(level, [&](int target, auto visit) {
    for_each_far_cell(level, tree.level(depth - 1), target, {0, level.cells()}, visit);
  });
}

std::vector<GroupPair> near_pairs(const GroupTree& tree) {
  const Level& leaves = tree.leaves();
  return pairs_of_groups(leaves, [&](int target, auto visit) {
    for_each_near_leaf(leaves, target, {0, leaves.cells()}, visit);
  });
}

}  // namespace fmm
