// SPDX-License-Identifier: Apache-2.0
#include "report/page/folded_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace foretask::report {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// The groups are ordered by depth: a parent's number is smaller.
std::size_t parent_of(const FoldedGraph& graph, std::size_t group) {
  for (const FoldedGroup::Link& link : graph.groups[group].makers)
    if (graph.groups[link.group].first_depth < graph.groups[group].first_depth) return link.group;
  return kNone;
}

using analysis::NodeIndex;
using analysis::TaskGraph;
using Link = FoldedGroup::Link;

constexpr std::uint32_t kSingleDepths = 32;
constexpr std::uint32_t kSingleBits = 5;
constexpr std::uint32_t kLevels = kSingleDepths + 3;
constexpr std::uint32_t kNoGroup = 0xffffffffU;
constexpr std::uint16_t kNotSeen = 0xffff;

std::uint32_t level_of(std::uint32_t depth) {
  return depth < kSingleDepths ? depth
                               : kSingleDepths + static_cast<std::uint32_t>(std::bit_width(depth)) - (kSingleBits + 1);
}

std::pair<std::uint32_t, std::uint32_t> depths_of(std::uint32_t level) {
  if (level < kSingleDepths) return {level, level};
  const std::uint32_t first = kSingleDepths << (level - kSingleDepths);
  return {first, 2 * first - 1};
}

// There are few: those met before come first.
void count(std::vector<Link>& links, std::uint32_t group) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i].group != group) continue;
    ++links[i].count;
    if (i > 0 && links[i].count > links[i - 1].count) std::swap(links[i], links[i - 1]);
    return;
  }
  links.push_back({group, 1});
}

class Folder {
 public:
  explicit Folder(const TaskGraph& graph)
      : graph_(graph),
        kernels_(graph.kernel_names.size()),
        depth_(graph.parent_of_task.size()),
        kernel_(graph.parent_of_task.size(), kNotSeen),
        group_(kernels_ * kLevels, kNoGroup) {
    for (std::size_t task = 0; task < depth_.size(); ++task)
      if (has_parent(task))
        depth_[task] = static_cast<std::uint8_t>(
            std::min<std::uint32_t>(depth_[graph_.parent_of_task[task]] + 1U, FoldedGraph::kDeepest));
  }

  std::vector<FoldedGroup> fold(const SpanPart& span_part) {
    for (std::size_t i = 0; i < graph_.size(); ++i) add_strand(static_cast<NodeIndex>(i), span_part);
    add_dependences();
    return in_order();
  }

 private:
  // Creators come first.
  [[nodiscard]] bool has_parent(std::size_t task) const { return graph_.parent_of_task[task] < task; }

  std::uint32_t group_of(std::size_t task, std::uint32_t kernel) {
    const std::uint32_t level = level_of(depth_[task]);
    std::uint32_t& group = group_[level * kernels_ + kernel];
    if (group == kNoGroup) {
      group = static_cast<std::uint32_t>(groups_.size());
      const auto [first, last] = depths_of(level);
      groups_.push_back({.kernel = kernel, .first_depth = first, .last_depth = last});
    }
    return group;
  }

  void add_strand(NodeIndex node, const SpanPart& span_part) {
    const std::uint32_t task = graph_.task_of_node[node];
    const std::uint32_t kernel = graph_.kernel[node];
    FoldedGroup& group = groups_[group_of(task, kernel)];
    if (graph_.occupies_worker(node)) group.work_ns += std::max<std::int64_t>(graph_.duration_ns[node], 0);
    group.span_ns += span_part(node);
    if (kernel_[task] != kNotSeen) return;
    kernel_[task] = static_cast<std::uint16_t>(kernel);
    ++group.tasks;
    if (!has_parent(task)) return;
    const std::uint32_t parent = graph_.parent_of_task[task];
    if (kernel_[parent] == kNotSeen) return;
    const std::uint32_t maker = group_[level_of(depth_[parent]) * kernels_ + kernel_[parent]];
    count(group.makers, maker);
  }

  void add_dependences() {
    for (std::size_t node = 0; node < graph_.size(); ++node) {
      const std::uint32_t task = graph_.task_of_node[node];
      for (std::uint64_t edge = graph_.first_successor[node]; edge < graph_.first_successor[node + 1]; ++edge) {
        if (!graph_.edge_kind.empty() && graph_.edge_kind[edge] != analysis::EdgeKind::kDependence) continue;
        const NodeIndex to = graph_.successors[edge];
        if (graph_.task_of_node[to] == task) continue;
        const std::uint32_t from_group = group_of(task, graph_.kernel[node]);
        count(groups_[group_of(graph_.task_of_node[to], graph_.kernel[to])].waited_for, from_group);
      }
    }
  }

  std::vector<FoldedGroup> in_order() {
    std::vector<std::uint32_t> order(groups_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      const FoldedGroup& one = groups_[a];
      const FoldedGroup& other = groups_[b];
      return one.first_depth != other.first_depth ? one.first_depth < other.first_depth : one.work_ns > other.work_ns;
    });
    std::vector<std::uint32_t> place(order.size());
    std::vector<FoldedGroup> sorted;
    for (const std::uint32_t group : order) {
      place[group] = static_cast<std::uint32_t>(sorted.size());
      sorted.push_back(std::move(groups_[group]));
    }
    for (FoldedGroup& group : sorted)
      for (std::vector<Link>* links : {&group.makers, &group.waited_for}) {
        for (Link& link : *links) link.group = place[link.group];
        std::sort(links->begin(), links->end(), [](const Link& a, const Link& b) {
          return a.count != b.count ? a.count > b.count : a.group < b.group;
        });
      }
    return sorted;
  }

  const TaskGraph& graph_;
  const std::size_t kernels_;
  std::vector<std::uint8_t> depth_;    // by task
  std::vector<std::uint16_t> kernel_;  // by task
  std::vector<std::uint32_t> group_;   // by level and kernel
  std::vector<FoldedGroup> groups_;
};

}  // namespace

FoldedGraph::FoldedGraph(const TaskGraph& graph, const SpanPart& span_part) {
  if (graph.task_of_node.empty() || graph.kernel_names.size() >= kNotSeen) return;
  groups = Folder(graph).fold(span_part);
}

std::string depth_words(const FoldedGroup& group) {
  if (group.first_depth == group.last_depth) return fmt::format("depth {}", group.first_depth);
  if (group.last_depth == FoldedGraph::kDeepest) return fmt::format("depth {} and deeper", group.first_depth);
  return fmt::format("depth {} to {}", group.first_depth, group.last_depth);
}

GraphOutline::GraphOutline(const FoldedGraph& graph, std::size_t most)
    : children(graph.groups.size()), work_ns(graph.groups.size()) {
  const std::size_t count = graph.groups.size();
  std::vector<std::size_t> parents(count);
  for (std::size_t i = count; i-- > 0;) {
    work_ns[i] += graph.groups[i].work_ns;
    parents[i] = parent_of(graph, i);
    if (parents[i] != kNone) work_ns[parents[i]] += work_ns[i];
  }
  // A parent has no less work than its children, and where it has as much it comes first.
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return work_ns[a] > work_ns[b]; });
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t group = order[i];
    if (i >= most) {
      ++left_out;
      left_out_tasks += graph.groups[group].tasks;
      left_out_work_ns += graph.groups[group].work_ns;
    } else if (parents[group] == kNone) {
      roots.push_back(group);
    } else {
      children[parents[group]].push_back(group);
    }
  }
}

}  // namespace foretask::report
