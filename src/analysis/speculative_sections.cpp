// SPDX-License-Identifier: Apache-2.0
#include "analysis/speculative_sections.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "foretask/analysis/moments.hpp"
#include "statistics/quantile.hpp"

namespace foretask::wiring {
namespace {

analysis::SpeculativeTimes times_of(const std::vector<double>& values) {
  analysis::RunningMoments running;
  for (const double value : values) running.add(value);
  const analysis::Moments moments = running.moments();
  analysis::SpeculativeTimes times;
  times.mean = moments.mean;
  const auto count = static_cast<double>(values.size());
  if (count > 1) times.sd = std::sqrt(moments.variance * count / (count - 1));
  times.p50 = statistics::quantile(values, 0.5);
  times.p90 = statistics::quantile(values, 0.9);
  return times;
}

void count_members(const graph::SpeculativeGroup& group, analysis::SpeculativeSection& section) {
  section.members += group.members.size();
  for (const graph::SpeculativeMember& member : group.members) {
    const bool won = member.end == graph::MemberEnd::kWon;
    section.never_ran += member.end == graph::MemberEnd::kNeverRan;
    section.cut_short += member.end == graph::MemberEnd::kCutShort;
    section.ended += member.end == graph::MemberEnd::kEnded || member.end == graph::MemberEnd::kAlsoFound;
    if (group.is_cancelled())
      (won ? section.winner_work_ns : section.wasted_work_ns) += member.work_ns + member.inner_ns;
  }
}

}  // namespace

std::vector<analysis::SpeculativeSection> speculative_sections(const graph::RecordedGraph& graph,
                                                               const std::vector<std::string>& names) {
  struct Collected {
    analysis::SpeculativeSection section;
    std::vector<double> winner_ns;
    double left_sum_ns = 0, left = 0;
  };
  std::map<std::uint32_t, Collected> by_kernel;
  for (const graph::SpeculativeGroup& group : graph.speculative_groups) {
    Collected& one = by_kernel[group.kernel];
    ++one.section.groups;
    count_members(group, one.section);
    if (!group.is_cancelled()) continue;
    ++one.section.cancelled;
    one.winner_ns.push_back(static_cast<double>(group.cancel_ns - group.begin_ns));
    if (group.left_ns < 0) continue;
    one.left_sum_ns += static_cast<double>(group.left_ns - group.cancel_ns);
    ++one.left;
  }
  std::vector<analysis::SpeculativeSection> sections;
  for (auto& [kernel, one] : by_kernel) {
    one.section.name = names[kernel];
    one.section.kernel = kernel;
    one.section.winner_ns = times_of(one.winner_ns);
    if (one.left > 0) one.section.left_ns = one.left_sum_ns / one.left;
    sections.push_back(std::move(one.section));
  }
  std::stable_sort(sections.begin(), sections.end(), [](const auto& a, const auto& b) {
    return a.winner_work_ns + a.wasted_work_ns > b.winner_work_ns + b.wasted_work_ns;
  });
  return sections;
}

}  // namespace foretask::wiring
