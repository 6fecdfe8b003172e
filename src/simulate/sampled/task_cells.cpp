// SPDX-License-Identifier: Apache-2.0
#include "simulate/sampled/task_cells.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <tuple>

#include "statistics/mixed_bits.hpp"
#include "statistics/running_variance.hpp"

namespace foretask::simulate {

using analysis::NodeIndex;
using analysis::TaskGraph;

namespace {

// Depths tell times apart where within them less than this share of the logarithms' variance is left.
constexpr double kLeftWithinDepths = 0.7;
// Something else than the time itself tells times apart where it leaves less than this of the logarithms' variance.
constexpr double kLeftWithinClasses = 0.5;
// Of tasks, on average: fewer tell times apart by chance.
constexpr std::size_t kFewestOfClass = 8;
// Of a group's tasks in order of creation.
constexpr std::size_t kMostStretches = 16;

struct Entry {
  std::uint64_t likeness;  // of kernel, parameters and shape: 64 bits tell 10^7 tasks apart
  std::uint32_t depth;
  std::uint32_t task;
  std::uint32_t kind;  // the class that is being looked at
};

// Of which power of two.
std::uint32_t octave(std::uint64_t value) { return static_cast<std::uint32_t>(std::bit_width(value)); }

class Finder {
 public:
  Finder(const TaskGraph& graph, const TaskStrands& strands) : graph_(graph), strands_(strands) {
    result_.cell_of_task.assign(strands.tasks(), kNoCell);
    // Children come after their parents.
    descendants_.assign(graph.parent_of_task.size(), 0);
    for (std::size_t task = descendants_.size(); task-- > 0;)
      if (has_parent(task)) descendants_[graph.parent_of_task[task]] += descendants_[task] + 1;
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
      if (has_parent(task)) depth[task] = depth[graph_.parent_of_task[task]] + 1;
    }
    std::vector<Entry> entries;
    for (std::size_t task = 0; task < strands_.tasks(); ++task) {
      if (strands_.of(task).empty()) continue;
      entries.push_back({likeness(task), depth.empty() ? 0 : depth[task], static_cast<std::uint32_t>(task), 0});
    }
    return entries;
  }

  [[nodiscard]] std::uint64_t likeness(std::size_t task) const {
    const auto nodes = strands_.of(task);
    std::uint64_t hash = statistics::mixed_bits(statistics::mixed_bits(0, graph_.kernel[nodes.front()]), nodes.size());
    const auto own = std::equal_range(graph_.parameters.begin(), graph_.parameters.end(),
                                      analysis::NodeParameter{.node = nodes.front()},
                                      [](const auto& a, const auto& b) { return a.node < b.node; });
    for (auto parameter = own.first; parameter != own.second; ++parameter)
      hash = statistics::mixed_bits(statistics::mixed_bits(hash, parameter->name),
                                    std::bit_cast<std::uint64_t>(parameter->value + 0.0));
    if (graph_.task_of_node.empty() || graph_.edge_kind.empty()) return hash;
    for (const NodeIndex node : nodes) {
      std::uint64_t kinds = 0;
      for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
        // Who waits for a task is not of its own making.
        if (graph_.edge_kind[e] == analysis::EdgeKind::kCreate) kinds |= 1;
        if (graph_.edge_kind[e] == analysis::EdgeKind::kContinuation) kinds |= 2;
      }
      hash = statistics::mixed_bits(hash, kinds);
    }
    return hash;
  }

  [[nodiscard]] bool has_parent(std::size_t task) const {
    return task < graph_.parent_of_task.size() && graph_.parent_of_task[task] < task;
  }

  [[nodiscard]] std::int64_t time_ns(std::uint32_t task) const { return task_time_ns(graph_, strands_.of(task)); }

  // Sum of squared distances of the logarithms from their mean.
  [[nodiscard]] double log_squares(std::span<const Entry> alike) const {
    statistics::RunningVariance logs;
    for (const Entry& entry : alike)
      logs.add(std::log(static_cast<double>(std::max<std::int64_t>(time_ns(entry.task), 1))));
    return logs.squares();
  }

  // Share of the variance of the logarithms that is left within ranges of one class; 1 where there are too few tasks to
  // say. `alike` in order of class.
  [[nodiscard]] double left_within(std::span<Entry> alike, std::uint32_t Entry::*key, std::size_t fewest) const {
    double within = 0;
    std::size_t classes = 0;
    for_each_range(alike, key, [&](std::span<Entry> range) {
      within += log_squares(range);
      ++classes;
    });
    if (classes < 2 || alike.size() <= classes || alike.size() < fewest * classes) return 1;
    const double all = log_squares(alike) / static_cast<double>(alike.size() - 1);
    return all > 0 ? within / static_cast<double>(alike.size() - classes) / all : 1;
  }

  void part_by_depth(std::span<Entry> alike) {
    if (alike.size() < 2) return;
    if (left_within(alike, &Entry::depth, 1) >= kLeftWithinDepths) {
      part_by_class(alike);
      return;
    }
    for_each_range(alike, &Entry::depth, [this](std::span<Entry> range) {
      if (range.size() >= kFewestOfCell) part_by_class(range);
    });
  }

  // Long and short tasks are of different kinds only where something else than their times tells them apart: times
  // that are many by chance would otherwise keep, in every run, the number of long ones that this run had.
  void part_by_class(std::span<Entry> alike) {
    constexpr Class kClasses[] = {&Finder::by_descendants, &Finder::by_parent, &Finder::by_stretch};
    Class best = nullptr;
    double least = kLeftWithinClasses;
    for (const Class by : kClasses) {
      (this->*by)(alike);
      const double left = left_within(alike, &Entry::kind, kFewestOfClass);
      if (left >= least) continue;
      least = left;
      best = by;
    }
    if (!best) {
      add_cell(alike);
      return;
    }
    (this->*best)(alike);
    std::vector<std::span<Entry>> parts;  // before their tasks' classes are of another kind
    for_each_range(alike, &Entry::kind, [&](std::span<Entry> range) { parts.push_back(range); });
    for (const std::span<Entry> part : parts)
      if (part.size() >= kFewestOfCell) part_by_class(part);
  }

  using Class = void (Finder::*)(std::span<Entry>) const;

  template <typename KindOf>
  static void classify(std::span<Entry> alike, KindOf kind_of) {
    for (Entry& entry : alike) entry.kind = kind_of(entry.task);
    std::sort(alike.begin(), alike.end(),
              [](const Entry& a, const Entry& b) { return std::tie(a.kind, a.task) < std::tie(b.kind, b.task); });
  }

  void by_descendants(std::span<Entry> alike) const {
    classify(alike, [this](std::uint32_t task) { return descendants_.empty() ? 0 : octave(descendants_[task]); });
  }

  void by_parent(std::span<Entry> alike) const {
    classify(alike, [this](std::uint32_t task) {
      if (!has_parent(task)) return std::uint32_t{0};
      return octave(static_cast<std::uint64_t>(time_ns(graph_.parent_of_task[task])));
    });
  }

  void by_stretch(std::span<Entry> alike) const {
    classify(alike, [](std::uint32_t) { return std::uint32_t{0}; });
    const std::size_t stretches = std::clamp<std::size_t>(alike.size() / kFewestOfClass, 1, kMostStretches);
    for (std::size_t i = 0; i < alike.size(); ++i)
      alike[i].kind = static_cast<std::uint32_t>(i * stretches / alike.size());
  }

  void add_cell(std::span<const Entry> alike) {
    std::vector<std::pair<std::int64_t, std::uint32_t>> timed;
    timed.reserve(alike.size());
    for (const Entry& entry : alike) timed.emplace_back(time_ns(entry.task), entry.task);
    std::sort(timed.begin(), timed.end());
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
  std::vector<std::uint32_t> descendants_;  // one a task of a recording
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
