// SPDX-License-Identifier: Apache-2.0
#include "simulate/task_cells.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <tuple>

namespace foretask::simulate {

using analysis::NodeIndex;
using analysis::TaskGraph;

namespace {

// Depths tell times apart where within them less than this share of the logarithms' variance is left.
constexpr double kLeftWithinDepths = 0.7;
// Between the 10th and the 90th of a hundred: exponential times have 22.
constexpr double kTwoDecades = 100;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  return hash ^ hash >> 29;
}

struct Entry {
  std::uint64_t likeness;  // of kernel, parameters and shape: 64 bits tell 10^7 tasks apart
  std::uint32_t depth;
  std::uint32_t task;
};

class Finder {
 public:
  Finder(const TaskGraph& graph, const TaskStrands& strands) : graph_(graph), strands_(strands) {
    result_.cell_of_task.assign(strands.tasks(), kNoCell);
  }

  TaskCells run() {
    std::vector<Entry> entries = list_tasks();
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.likeness, a.depth, a.task) < std::tie(b.likeness, b.depth, b.task);
    });
    for_each_range(std::span<Entry>(entries), &Entry::likeness,
                   [this](std::span<Entry> alike) { part_by_depth(alike); });
    return std::move(result_);
  }

 private:
  template <typename Item, typename Key, typename Visit>
  static void for_each_range(std::span<Item> items, Key key, Visit visit) {
    for (std::size_t begin = 0; begin < items.size();) {
      std::size_t end = begin + 1;
      while (end < items.size() && std::invoke(key, items[end]) == std::invoke(key, items[begin])) ++end;
      visit(items.subspan(begin, end - begin));
      begin = end;
    }
  }

  std::vector<Entry> list_tasks() const {
    std::vector<std::uint32_t> depth(graph_.parent_of_task.size());
    for (std::size_t task = 0; task < depth.size(); ++task) {
      const std::uint32_t parent = graph_.parent_of_task[task];
      if (parent < task) depth[task] = depth[parent] + 1;
    }
    std::vector<Entry> entries;
    for (std::size_t task = 0; task < strands_.tasks(); ++task) {
      if (strands_.of(task).empty()) continue;
      entries.push_back({likeness(task), depth.empty() ? 0 : depth[task], static_cast<std::uint32_t>(task)});
    }
    return entries;
  }

  [[nodiscard]] std::uint64_t likeness(std::size_t task) const {
    const auto nodes = strands_.of(task);
    std::uint64_t hash = mixed(mixed(0, graph_.kernel[nodes.front()]), nodes.size());
    const auto own = std::equal_range(graph_.parameters.begin(), graph_.parameters.end(),
                                      analysis::NodeParameter{.node = nodes.front()},
                                      [](const auto& a, const auto& b) { return a.node < b.node; });
    for (auto parameter = own.first; parameter != own.second; ++parameter)
      hash = mixed(mixed(hash, parameter->name), std::bit_cast<std::uint64_t>(parameter->value + 0.0));
    if (graph_.task_of_node.empty() || graph_.edge_kind.empty()) return hash;
    for (const NodeIndex node : nodes) {
      std::uint64_t kinds = 0;
      for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
        // Who waits for a task is not of its own making.
        if (graph_.edge_kind[e] == analysis::EdgeKind::kCreate) kinds |= 1;
        if (graph_.edge_kind[e] == analysis::EdgeKind::kContinuation) kinds |= 2;
      }
      hash = mixed(hash, kinds);
    }
    return hash;
  }

  [[nodiscard]] std::int64_t time_ns(std::uint32_t task) const { return task_time_ns(graph_, strands_.of(task)); }

  // Sum of squared distances of the logarithms from their mean.
  [[nodiscard]] double log_squares(std::span<const Entry> alike) const {
    double mean = 0;
    double squares = 0;
    double count = 0;
    for (const Entry& entry : alike) {
      const double value = std::log(static_cast<double>(std::max<std::int64_t>(time_ns(entry.task), 1)));
      const double distance = value - mean;
      mean += distance / ++count;
      squares += distance * (value - mean);
    }
    return squares;
  }

  void part_by_depth(std::span<Entry> alike) {
    if (alike.size() < 2) return;
    double within = 0;
    std::size_t depths = 0;
    for_each_range(alike, &Entry::depth, [&](std::span<Entry> range) {
      within += log_squares(range);
      ++depths;
    });
    const bool can_tell = depths > 1 && alike.size() > depths;
    const double left = can_tell ? within / static_cast<double>(alike.size() - depths) : 0;
    const double all = log_squares(alike) / static_cast<double>(alike.size() - 1);
    if (!can_tell || left >= kLeftWithinDepths * all) {
      part_by_size(alike);
      return;
    }
    for_each_range(alike, &Entry::depth, [this](std::span<Entry> range) {
      if (range.size() >= kFewestOfCell) part_by_size(range);
    });
  }

  void part_by_size(std::span<Entry> alike) {
    std::vector<std::pair<std::int64_t, std::uint32_t>> timed;
    timed.reserve(alike.size());
    for (const Entry& entry : alike) timed.emplace_back(time_ns(entry.task), entry.task);
    std::sort(timed.begin(), timed.end());
    const std::size_t tenth = timed.size() / 10;
    const auto low = static_cast<double>(std::max<std::int64_t>(timed[tenth].first, 1));
    if (static_cast<double>(timed[timed.size() - 1 - tenth].first) <= kTwoDecades * low) {
      add_cell(timed);
      return;
    }
    for_each_range(
        std::span(timed), [](const auto& one) { return std::bit_width(static_cast<std::uint64_t>(one.first)); },
        [this](auto range) {
          if (range.size() >= kFewestOfCell) add_cell(range);
        });
  }

  void add_cell(std::span<const std::pair<std::int64_t, std::uint32_t>> timed) {
    const auto number = static_cast<std::uint32_t>(result_.cells.size());
    const auto first = static_cast<std::uint32_t>(result_.members.size());
    const std::uint32_t kernel = graph_.kernel[strands_.of(timed.front().second).front()];
    result_.cells.push_back({first, static_cast<std::uint32_t>(timed.size()), kernel});
    for (const auto& [time, task] : timed) {
      result_.members.push_back(task);
      result_.cell_of_task[task] = number;
    }
  }

  const TaskGraph& graph_;
  const TaskStrands& strands_;
  TaskCells result_;
};

}  // namespace

std::int64_t task_time_ns(const TaskGraph& graph, std::span<const NodeIndex> strands) {
  std::int64_t time_ns = 0;
  for (const NodeIndex node : strands) time_ns += graph.duration_ns[node];
  return time_ns;
}

TaskCells find_task_cells(const TaskGraph& graph, const TaskStrands& strands) { return Finder(graph, strands).run(); }

}  // namespace foretask::simulate
