// SPDX-License-Identifier: Apache-2.0
#include "graph/coarse/cut_offs_to_try.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace foretask::graph {

using analysis::CutOff;
using analysis::kNoNode;
using analysis::TaskGraph;

namespace {

// Of the tasks that the cut-off before left, at most so many: another with nearly as many says nothing new.
constexpr double kFewer = 0.9;
constexpr std::uint64_t kFewestTasks = 2;

// Cut-offs, finest first, each with the tasks that it leaves, as far as these are calls by their size alone.
class Choice {
 public:
  explicit Choice(std::uint64_t tasks) : tasks_(tasks) {}

  void offer(const CutOff& cut_off, std::uint64_t tasks) {
    if (tasks < kFewestTasks || static_cast<double>(tasks) > kFewer * static_cast<double>(tasks_)) return;
    tasks_ = tasks;
    chosen_.push_back(cut_off);
  }
  [[nodiscard]] std::vector<CutOff> chosen() && { return std::move(chosen_); }

 private:
  std::uint64_t tasks_;  // that are left by the last one
  std::vector<CutOff> chosen_;
};

// 1, 2, 5, 10, ... us.
std::vector<std::int64_t> grains_up_to(std::int64_t largest_ns) {
  std::vector<std::int64_t> grains;
  for (std::int64_t decade = 1000; decade <= largest_ns && decade <= std::numeric_limits<std::int64_t>::max() / 10;
       decade *= 10)
    for (const std::int64_t digit : {1, 2, 5}) grains.push_back(digit * decade);
  return grains;
}

}  // namespace

std::vector<CutOff> grains_to_try(const TaskGraph& graph, const CallTree& tree) {
  std::vector<std::int64_t> sizes;
  for (std::uint32_t task = 0; task < graph.parent_of_task.size(); ++task)
    if (tree.is_explicit(task)) sizes.push_back(tree.subtree_ns(task));
  if (sizes.empty()) return {};
  const std::vector<std::int64_t> grains = grains_up_to(*std::max_element(sizes.begin(), sizes.end()));
  // One more for each grain: tasks that are smaller, and no smaller than the grain before.
  std::vector<std::uint64_t> smaller(grains.size() + 1, 0);
  for (const std::int64_t size : sizes)
    ++smaller[std::upper_bound(grains.begin(), grains.end(), size) - grains.begin()];
  Choice choice(sizes.size());
  std::uint64_t left = sizes.size();
  for (std::size_t i = 0; i < grains.size(); ++i) {
    left -= smaller[i];
    choice.offer({.grain_ns = grains[i], .kernels = {}}, left);
  }
  return std::move(choice).chosen();
}

std::vector<CutOff> depths_to_try(const TaskGraph& graph, const CallTree& tree) {
  std::vector<std::uint32_t> depth(graph.parent_of_task.size(), 0);
  std::vector<std::uint64_t> tasks;  // by depth
  for (std::uint32_t task = 0; task < depth.size(); ++task) {
    const std::uint32_t parent = graph.parent_of_task[task];
    if (parent == kNoNode) continue;
    depth[task] = depth[parent] + 1;
    if (!tree.is_explicit(task)) continue;
    if (tasks.size() <= depth[task]) tasks.resize(depth[task] + 1, 0);
    ++tasks[depth[task]];
  }
  std::uint64_t left = 0;
  for (const std::uint64_t count : tasks) left += count;
  Choice choice(left);
  for (std::size_t deepest = tasks.size(); deepest-- > 1;) {
    choice.offer({.depth = static_cast<std::uint32_t>(deepest), .kernels = {}}, left);
    left -= tasks[deepest];
  }
  return std::move(choice).chosen();
}

}  // namespace foretask::graph
