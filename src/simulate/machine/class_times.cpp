// SPDX-License-Identifier: Apache-2.0
#include "simulate/machine/class_times.hpp"

#include <algorithm>

#include "foretask/analysis/platform.hpp"
#include "simulate/cores/durations.hpp"

namespace foretask::simulate {

using analysis::kNoDuration;
using analysis::NodeIndex;
using analysis::TaskGraph;

namespace {

constexpr std::uint32_t kNotThere = 0xffffffffU;

std::uint32_t place_of(const std::vector<std::string>& classes, const std::string& name) {
  const auto found = std::find(classes.begin(), classes.end(), name);
  return found == classes.end() ? kNotThere : static_cast<std::uint32_t>(found - classes.begin());
}

// The longest that each node may take, all after one another behind the latest release: no instant is later, but for
// messages, which have room above.
bool fits(const TaskGraph& graph, const std::vector<std::vector<std::int64_t>>& by_class) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  std::int64_t sum_ns = 0;
  for (const std::int64_t release_ns : graph.release_ns) sum_ns = std::max(sum_ns, release_ns);
  for (std::size_t node = 0; node < graph.size(); ++node) {
    std::int64_t longest_ns = std::max<std::int64_t>(graph.duration_ns[node], 0);
    for (const auto& times : by_class) longest_ns = std::max(longest_ns, times[node]);
    if (__builtin_add_overflow(sum_ns, longest_ns, &sum_ns) || sum_ns > kMost) return false;
  }
  return true;
}

}  // namespace

Result<ClassTimes> ClassTimes::of(const TaskGraph& graph, const std::vector<std::string>& classes,
                                  const analysis::SimulationOptions& options) {
  const auto factors = factors_in_force(graph, options);
  if (!factors) return factors.error();
  const auto in_force = [&](std::size_t node, std::int64_t duration_ns) {
    if (duration_ns < 0 || factors->empty()) return duration_ns;
    return divided_duration(duration_ns, (*factors)[graph.kernel[node]]);
  };

  ClassTimes times;
  times.by_class_.assign(classes.size(), std::vector<std::int64_t>(graph.size(), kNoDuration));
  if (const std::uint32_t plain = place_of(classes, analysis::kPlainCore); plain != kNotThere) {
    for (std::size_t node = 0; node < graph.size(); ++node)
      times.by_class_[plain][node] = in_force(node, graph.duration_ns[node]);
  }
  std::vector<std::uint32_t> place;  // of the graph's classes among ours
  for (const std::string& name : graph.class_names) place.push_back(place_of(classes, name));
  for (const analysis::ClassDuration& own : graph.class_durations) {
    if (place[own.worker_class] != kNotThere)
      times.by_class_[place[own.worker_class]][own.node] = in_force(own.node, own.duration_ns);
  }
  if (!fits(graph, times.by_class_))
    return Error{.what = "the durations and releases do not fit in 62 bits of nanoseconds"};

  times.fastest_.assign(graph.size(), kNoDuration);
  for (std::size_t node = 0; node < graph.size(); ++node) {
    std::int64_t& fastest = times.fastest_[node];
    if (!graph.cores.empty() && graph.cores[node] == 0 && graph.duration_ns[node] >= 0) {
      fastest = in_force(node, graph.duration_ns[node]);
      continue;
    }
    for (const auto& by_node : times.by_class_) {
      if (by_node[node] >= 0 && (fastest < 0 || by_node[node] < fastest)) fastest = by_node[node];
    }
  }
  return times;
}

}  // namespace foretask::simulate
