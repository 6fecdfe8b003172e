// SPDX-License-Identifier: Apache-2.0
// Who interacts with whom: far cells (children of the parent's neighbours that are no neighbours themselves) by their
// expansions, neighbouring leaves particle by particle. Within a group they are looked for each time; those between two
// groups are listed once, since the tasks' order depends on them.
#pragma once

#include <vector>

#include "fmm/group_tree.hpp"

namespace fmm {

// Calls visit(source) for the cells in `sources` that are far from `target`; `above` is the level over `level`.
template <class Visit>
void for_each_far_cell(const Level& level, const Level& above, int target, Range sources, Visit visit) {
  const int parent = level.parent(target);
  for (auto neighbour = above.neighbours_begin(parent); neighbour != above.neighbours_end(parent); ++neighbour) {
    const Range candidates = common_part(above.children(*neighbour), sources);
    for (int source = candidates.begin; source < candidates.end; ++source) {
      const int dx = level.x(source) - level.x(target);
      const int dy = level.y(source) - level.y(target);
      if (dx * dx > 1 || dy * dy > 1) visit(source);
    }
  }
}

// Calls visit(source) for the neighbours of the leaf `target` in `sources`, itself among them.
template <class Visit>
void for_each_near_leaf(const Level& leaves, int target, Range sources, Visit visit) {
  for (auto source = leaves.neighbours_begin(target); source != leaves.neighbours_end(target); ++source)
    if (sources.contains(*source)) visit(*source);
}

// How much work neighbouring leaves make: a sum over the source's particles for each of the target's.
struct NearWork {
  double sums = 0;
  double pairs = 0;

  void add(double targets, double sources) {
    sums += targets;
    pairs += targets * sources;
  }
};

struct Link {
  int target;  // cells of one level
  int source;
};

// All links from one group's cells to another one's, by target.
struct GroupPair {
  int target;  // groups of one level
  int source;
  std::vector<Link> links;
};

// Far cells in different groups, of a level from GroupTree::kTop on.
std::vector<GroupPair> far_pairs(const GroupTree& tree, int depth);

// Neighbouring leaves in different groups.
std::vector<GroupPair> near_pairs(const GroupTree& tree);

}  // namespace fmm
