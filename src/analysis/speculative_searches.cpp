// SPDX-License-Identifier: Apache-2.0
// The searches of a recording's or-parallel sections, one by one.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/run_impl.hpp"
#include "foretask/analysis/speculation.hpp"

namespace foretask::analysis {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

// The group of each task that is one of its group's searches; kNone for the others.
std::vector<std::uint32_t> groups_of_tasks(const Run::Impl& impl) {
  std::vector<std::uint32_t> group_of_task(impl.graph.parent_of_task.size(), kNone);
  for (std::uint32_t group = 0; group < impl.recorded.speculative_groups.size(); ++group)
    for (const graph::SpeculativeMember& member : impl.recorded.speculative_groups[group].members)
      if (member.kernel == impl.recorded.speculative_groups[group].kernel) group_of_task[member.task] = group;
  return group_of_task;
}

// The kernels of which one search waits for another of its group.
std::set<std::uint32_t> divided_kernels(const Run::Impl& impl, const std::vector<std::uint32_t>& group_of_task) {
  std::set<std::uint32_t> kernels;
  const TaskGraph& graph = impl.graph;
  if (graph.edge_kind.empty()) return kernels;
  for (std::size_t node = 0; node < graph.size(); ++node) {
    const std::uint32_t task = graph.task_of_node[node];
    const std::uint32_t group = group_of_task[task];
    if (group == kNone) continue;
    for (std::uint64_t edge = graph.first_successor[node]; edge < graph.first_successor[node + 1]; ++edge) {
      const std::uint32_t waits = graph.task_of_node[graph.successors[edge]];
      if (graph.edge_kind[edge] == EdgeKind::kJoin && waits != task && group_of_task[waits] == group)
        kernels.insert(impl.recorded.speculative_groups[group].kernel);
    }
  }
  return kernels;
}

// By kernel, how many of its searches could run at once: the fewer of the most that were created in a group and of the
// most workers that ran those of one. The most in any group stands for all of the run's. In a single one it may be that
// the first search had its solution before the last one began, or was created; and searches must not be sorted by how
// soon one of them had its solution, or those of small groups would seem the quicker ones.
std::map<std::uint32_t, std::uint32_t> searches_at_once(const Run::Impl& impl,
                                                        const std::vector<std::uint32_t>& group_of_task) {
  std::vector<std::uint32_t> created(impl.recorded.speculative_groups.size(), 0);
  for (const std::uint32_t group : group_of_task)
    if (group != kNone) ++created[group];
  std::vector<std::set<std::uint16_t>> workers(impl.recorded.speculative_groups.size());
  for (std::size_t node = 0; node < impl.graph.size(); ++node) {
    if (!impl.graph.occupies_worker(node)) continue;
    const std::uint32_t group = group_of_task[impl.graph.task_of_node[node]];
    if (group != kNone) workers[group].insert(impl.recorded.strands.worker[node]);
  }
  std::map<std::uint32_t, std::uint32_t> most_created, most_workers;
  for (std::size_t group = 0; group < workers.size(); ++group) {
    const std::uint32_t kernel = impl.recorded.speculative_groups[group].kernel;
    most_created[kernel] = std::max(most_created[kernel], created[group]);
    most_workers[kernel] = std::max(most_workers[kernel], static_cast<std::uint32_t>(workers[group].size()));
  }
  std::map<std::uint32_t, std::uint32_t> at_once;
  for (const auto& [kernel, count] : most_created)
    at_once[kernel] = std::max(std::uint32_t{1}, std::min(count, most_workers[kernel]));
  return at_once;
}

}  // namespace

void SpeculativeSearches::merge(const SpeculativeSearches& other) {
  workers = std::max(workers, other.workers);
  failed += other.failed;
  is_divided |= other.is_divided;
  groups.insert(groups.end(), other.groups.begin(), other.groups.end());
}

std::vector<SpeculativeSearches> speculative_searches(const Run& run) {
  const Run::Impl& impl = Run::Impl::of(run);
  std::vector<SpeculativeSearches> all;
  std::map<std::uint32_t, std::size_t> place_of_kernel;
  for (const SpeculativeSection& section : impl.report.speculative) {
    place_of_kernel[section.kernel] = all.size();
    all.push_back({.section = section.name, .workers = impl.report.workers, .failed = 0, .groups = {}});
  }
  if (all.empty()) return all;
  const std::vector<std::uint32_t> group_of_task = groups_of_tasks(impl);
  const std::map<std::uint32_t, std::uint32_t> at_once = searches_at_once(impl, group_of_task);
  for (const std::uint32_t kernel : divided_kernels(impl, group_of_task))
    if (const auto place = place_of_kernel.find(kernel); place != place_of_kernel.end())
      all[place->second].is_divided = true;
  for (const graph::SpeculativeGroup& group : impl.recorded.speculative_groups) {
    const auto place = place_of_kernel.find(group.kernel);
    if (place == place_of_kernel.end()) continue;
    SearchGroup searches;
    searches.at_once = at_once.at(group.kernel);
    for (const graph::SpeculativeMember& member : group.members) {
      if (member.kernel != group.kernel || member.end == graph::MemberEnd::kNeverRan) continue;
      const bool won = member.end == graph::MemberEnd::kWon;
      if (won) searches.winner = static_cast<std::int64_t>(searches.ns.size());
      searches.ns.push_back(static_cast<double>(member.work_ns));
      searches.found.push_back(won || member.end == graph::MemberEnd::kAlsoFound ? 1 : 0);
      all[place->second].failed += member.end == graph::MemberEnd::kEnded;
    }
    if (!searches.ns.empty()) all[place->second].groups.push_back(std::move(searches));
  }
  return all;
}

}  // namespace foretask::analysis
