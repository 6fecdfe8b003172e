// SPDX-License-Identifier: Apache-2.0
#include "simulate/sampled/duration_draws.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

#include "graph/team_shares.hpp"
#include "statistics/random.hpp"
#include "statistics/running_variance.hpp"

namespace foretask::simulate {
namespace {

using analysis::NodeIndex;
using analysis::TaskGraph;

constexpr std::size_t kFewestOfGroup = 5;  // of those that a class makes: fewer tasks say little of a spread
constexpr std::size_t kMostStretches = 16;
constexpr std::size_t kFewestOfStretch = 8;

struct Entry {
  std::uint64_t likeness;  // of kernel, parameters and shape: 64 bits tell 10^7 tasks apart
  std::uint32_t task;
  std::uint32_t kind;  // the class that is being looked at
};

class Finder {
 public:
  Finder(const TaskGraph& graph, const graph::TaskStrands& strands) : graph_(graph), strands_(strands) {
    result_.group_of_task.assign(strands.tasks(), 0);
    // Children come after their parents.
    const std::size_t tasks = graph.parent_of_task.size();
    depth_.assign(tasks, 0);
    descendants_.assign(tasks, 0);
    for (std::size_t task = 0; task < tasks; ++task)
      if (has_parent(task)) depth_[task] = depth_[graph.parent_of_task[task]] + 1;
    for (std::size_t task = tasks; task-- > 0;)
      if (has_parent(task)) descendants_[graph.parent_of_task[task]] += descendants_[task] + 1;
    // What one thread has of a loop is unlike what the others have.
    const auto task_of = [&](NodeIndex node) { return graph.task_of_node.empty() ? node : graph.task_of_node[node]; };
    is_of_team_.assign(strands.tasks(), false);
    for (const analysis::TeamPhase& phase : graph.team.phases)
      if (phase.divides)
        for (const auto& strand : graph::strands_of(graph.team, phase)) is_of_team_[task_of(strand.node)] = true;
  }

  SimilarTasks run() {
    std::vector<Entry> entries;
    for (std::size_t task = 0; task < strands_.tasks(); ++task)
      if (!strands_.of(task).empty() && !is_of_team_[task])
        entries.push_back({likeness(task), static_cast<std::uint32_t>(task), 0});
    std::ranges::sort(entries, {}, [](const Entry& one) { return std::tie(one.likeness, one.task); });
    for_each_range(std::span<Entry>(entries), &Entry::likeness, [this](std::span<Entry> alike) {
      if (alike.size() > 1) part(alike);
    });
    return std::move(result_);
  }

 private:
  // Something else than the time itself tells times apart where it leaves less than a share of the variance of their
  // logarithms, and has so many tasks a class on average: fewer tell times apart by chance.
  struct Explanation {
    void (Finder::*classify)(std::span<Entry>) const;
    std::size_t fewest_of_class;
    double most_left;
  };

  template <typename Key, typename Visit>
  static void for_each_range(std::span<Entry> entries, Key Entry::*key, Visit visit) {
    for (std::size_t begin = 0; begin < entries.size();) {
      std::size_t end = begin + 1;
      while (end < entries.size() && entries[end].*key == entries[begin].*key) ++end;
      visit(entries.subspan(begin, end - begin));
      begin = end;
    }
  }

  [[nodiscard]] bool has_parent(std::size_t task) const {
    return task < graph_.parent_of_task.size() && graph_.parent_of_task[task] < task;
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

  // Sum of squared distances of the times' logarithms from their mean.
  [[nodiscard]] double log_squares(std::span<const Entry> alike) const {
    statistics::RunningVariance logs;
    for (const Entry& entry : alike) {
      std::int64_t time_ns = 0;
      for (const NodeIndex node : strands_.of(entry.task)) time_ns += graph_.duration_ns[node];
      logs.add(std::log(static_cast<double>(std::max<std::int64_t>(time_ns, 1))));
    }
    return logs.squares();
  }

  // `alike` in order of class.
  [[nodiscard]] bool explains(const Explanation& explanation, std::span<Entry> alike) const {
    double within = 0;
    std::size_t classes = 0;
    for_each_range(alike, &Entry::kind, [&](std::span<Entry> range) {
      within += log_squares(range);
      ++classes;
    });
    if (classes < 2 || alike.size() <= classes || alike.size() < explanation.fewest_of_class * classes) return false;
    return within / static_cast<double>(alike.size() - classes) <
           explanation.most_left * log_squares(alike) / static_cast<double>(alike.size() - 1);
  }

  // Long and short tasks are of different kinds only where something else than their times tells them apart: times
  // that are many by chance would otherwise keep, in every run, the number of long ones that this run had.
  void part(std::span<Entry> alike) {
    constexpr Explanation kExplanations[] = {
        {&Finder::by_depth, 1, 0.7}, {&Finder::by_descendants, 8, 0.5}, {&Finder::by_stretch, kFewestOfStretch, 0.5}};
    for (const Explanation& explanation : kExplanations) {
      (this->*explanation.classify)(alike);
      if (!explains(explanation, alike)) continue;
      std::vector<std::span<Entry>> parts;  // before their tasks' classes are of another kind
      for_each_range(alike, &Entry::kind, [&](std::span<Entry> range) { parts.push_back(range); });
      for (const std::span<Entry> range : parts)
        if (range.size() >= kFewestOfGroup) part(range);
      return;
    }
    add_group(alike);
  }

  template <typename KindOf>
  static void classify(std::span<Entry> alike, KindOf kind_of) {
    for (Entry& entry : alike) entry.kind = kind_of(entry.task);
    std::ranges::sort(alike, {}, [](const Entry& one) { return std::tie(one.kind, one.task); });
  }

  void by_depth(std::span<Entry> alike) const {
    classify(alike, [this](std::uint32_t task) { return depth_.empty() ? 0 : depth_[task]; });
  }

  // By their number's power of two.
  void by_descendants(std::span<Entry> alike) const {
    classify(alike, [this](std::uint32_t task) {
      return descendants_.empty() ? 0U : static_cast<std::uint32_t>(std::bit_width(descendants_[task]));
    });
  }

  // In order of creation.
  void by_stretch(std::span<Entry> alike) const {
    classify(alike, [](std::uint32_t) { return std::uint32_t{0}; });
    const std::size_t stretches = std::clamp<std::size_t>(alike.size() / kFewestOfStretch, 1, kMostStretches);
    for (std::size_t i = 0; i < alike.size(); ++i)
      alike[i].kind = static_cast<std::uint32_t>(i * stretches / alike.size());
  }

  void add_group(std::span<const Entry> alike) {
    const auto number = static_cast<std::uint32_t>(result_.groups.size());
    result_.groups.push_back(
        {static_cast<std::uint32_t>(result_.members.size()), static_cast<std::uint32_t>(alike.size())});
    for (const Entry& entry : alike) {
      result_.members.push_back(entry.task);
      result_.group_of_task[entry.task] = number;
    }
  }

  const TaskGraph& graph_;
  const graph::TaskStrands& strands_;
  SimilarTasks result_;
  std::vector<std::uint32_t> depth_;  // one a task of a recording
  std::vector<std::uint32_t> descendants_;
  std::vector<bool> is_of_team_;  // one a task
};

bool takes_time(const analysis::TaskGraph& graph, analysis::NodeIndex node) {
  return graph.duration_ns[node] >= 0 && graph.occupies_worker(node);
}

}  // namespace

DurationDraws::DurationDraws(const analysis::TaskGraph& graph)
    : graph_(graph), strands_(graph, takes_time), similar_(Finder(graph, strands_).run()) {
  for (std::size_t task = 0; task < strands_.tasks(); ++task) {
    if (strands_.of(task).empty()) continue;
    ++tasks_;
    kept_ += similar_.of(task).empty() ? 1 : 0;
  }
}

void DurationDraws::draw(std::uint64_t seed, std::uint32_t sample, std::span<std::int64_t> duration_ns) const {
  const statistics::RandomAt random(seed, sample);
  std::copy(graph_.duration_ns.begin(), graph_.duration_ns.end(), duration_ns.begin());
  for (std::size_t task = 0; task < strands_.tasks(); ++task) {
    const auto similar = similar_.of(task);
    if (similar.empty()) continue;
    const auto nodes = strands_.of(task);
    const auto drawn = strands_.of(similar[random.below(static_cast<std::uint32_t>(similar.size()), task)]);
    for (std::size_t i = 0; i < nodes.size(); ++i) duration_ns[nodes[i]] = graph_.duration_ns[drawn[i]];
  }
}

}  // namespace foretask::simulate
