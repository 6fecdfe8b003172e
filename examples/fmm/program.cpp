// SPDX-License-Identifier: Apache-2.0
// The list of tasks: which there are, and their direct parameters.
#include "fmm/program.hpp"

namespace fmm {

Program::Program(Particles& particles, GroupTree& tree, const Laplace& laplace, const Kernels& kernels,
                 Prediction prediction)
    : particles_(particles),
      tree_(tree),
      laplace_(laplace),
      kernels_(kernels),
      prediction_(prediction),
      far_pairs_(static_cast<std::size_t>(tree.height()) + 1),
      near_pairs_(near_pairs(tree)) {
  for (int depth = GroupTree::kTop; depth <= tree.height(); ++depth) far_pairs_[depth] = far_pairs(tree, depth);
  list_upward();
  list_far_field();
  list_downward();
  list_near_field();
  if (prediction_ == kAhead)
    for (Task& task : tasks_) predict(task);
}

void Program::list(KernelId kernel, int depth, int target, int source, Parameters parameters) {
  tasks_.push_back({.kernel = kernel, .depth = depth, .target = target, .source = source, .parameters = parameters});
}

// Between the groups of level `depth` and those of the level below: m2m up, l2l down.
void Program::list_transfers(KernelId kernel, int depth) {
  const Level& level = tree_.level(depth);
  const Level& below = tree_.level(depth + 1);
  for (int child_group = 0; child_group < below.groups(); ++child_group) {
    const Range children = below.group(child_group);
    const Range parents = {below.parent(children.begin), below.parent(children.end - 1) + 1};
    for (int group = level.group_of(parents.begin); group <= level.group_of(parents.end - 1); ++group) {
      const Range own = common_part(parents, level.group(group));
      const double moved = common_part(level.children(own), children).size();
      if (kernel == kM2m)
        list(kernel, depth, group, child_group, {static_cast<double>(depth), static_cast<double>(own.size()), moved});
      else
        list(kernel, depth + 1, child_group, group,
             {static_cast<double>(depth + 1), static_cast<double>(own.size()), moved});
    }
  }
}

void Program::list_upward() {
  const Level& leaves = tree_.leaves();
  for (int group = 0; group < leaves.groups(); ++group) {
    const Range cells = leaves.group(group);
    const double particles = leaves.children(cells).size();
    list(kP2m, tree_.height(), group, group, {static_cast<double>(cells.size()), particles});
  }
  for (int depth = tree_.height() - 1; depth >= GroupTree::kTop; --depth) list_transfers(kM2m, depth);
}

void Program::list_far_field() {
  for (int depth = GroupTree::kTop; depth <= tree_.height(); ++depth) {
    const Level& level = tree_.level(depth);
    const auto direct = [&](int group) -> Parameters {
      const Range cells = level.group(group);
      return {static_cast<double>(depth), static_cast<double>(cells.size()), level.interval(cells)};
    };
    for (int group = 0; group < level.groups(); ++group) list(kM2lIn, depth, group, group, direct(group));
    const std::vector<GroupPair>& pairs = far_pairs_[depth];
    for (std::size_t i = 0; i < pairs.size(); ++i)
      list(kM2lOut, depth, pairs[i].target, static_cast<int>(i), direct(pairs[i].target));
  }
}

void Program::list_downward() {
  for (int depth = GroupTree::kTop; depth < tree_.height(); ++depth) list_transfers(kL2l, depth);
  const Level& leaves = tree_.leaves();
  for (int group = 0; group < leaves.groups(); ++group) {
    const Range cells = leaves.group(group);
    const double particles = leaves.children(cells).size();
    list(kL2p, tree_.height(), group, group, {static_cast<double>(cells.size()), particles});
  }
}

void Program::list_near_field() {
  const Level& leaves = tree_.leaves();
  const auto particles = [&](int group) -> double { return leaves.children(leaves.group(group)).size(); };
  for (int group = 0; group < leaves.groups(); ++group) {
    const Range cells = leaves.group(group);
    list(kP2pIn, tree_.height(), group, group,
         {static_cast<double>(cells.size()), leaves.interval(cells), particles(group)});
  }
  for (std::size_t i = 0; i < near_pairs_.size(); ++i) {
    const int group = near_pairs_[i].target;
    const Range cells = leaves.group(group);
    list(kP2pOut, tree_.height(), group, static_cast<int>(i),
         {static_cast<double>(cells.size()), leaves.interval(cells), particles(group),
          particles(near_pairs_[i].source)});
  }
}

void Program::count_indirect(Task& task) const {
  const Level& level = tree_.level(task.depth);
  const Range cells = level.group(task.target);
  double interactions = 0;
  NearWork near;
  switch (task.kernel) {
    case kM2lIn:
      for (int target = cells.begin; target < cells.end; ++target)
        for_each_far_cell(level, tree_.level(task.depth - 1), target, cells, [&](int) { ++interactions; });
      break;
    case kM2lOut:
      interactions = static_cast<double>(far_pairs_[task.depth][task.source].links.size());
      break;
    case kP2pIn:
      for (int target = cells.begin; target < cells.end; ++target)
        for_each_near_leaf(level, target, cells,
                           [&](int source) { near.add(level.children(target).size(), level.children(source).size()); });
      break;
    case kP2pOut:
      for (const Link link : near_pairs_[task.source].links)
        near.add(level.children(link.target).size(), level.children(link.source).size());
      break;
    default:
      return;
  }
  const std::size_t last = kernels_.parameters(task.kernel).size() - 1;
  const bool far = task.kernel == kM2lIn || task.kernel == kM2lOut;
  if (!far) task.parameters[last - 1] = near.sums;
  task.parameters[last] = far ? interactions : near.pairs;
}

void Program::predict(Task& task) {
  if (kernels_.indirect(task.kernel) > 0) count_indirect(task);
  kernels_.predict(task);
}

}  // namespace fmm
