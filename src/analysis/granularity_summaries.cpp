// SPDX-License-Identifier: Apache-2.0
#include "analysis/granularity_summaries.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace foretask::wiring {
namespace {

using analysis::GranularitySummary;
using graph::GranularityFact;

constexpr std::size_t kSteps = 50;

// The mean threshold of each of 50 equal stretches of time that has one.
class Thresholds {
 public:
  Thresholds(std::int64_t first_ns, std::int64_t last_ns) : first_ns_(first_ns), length_ns_(last_ns - first_ns + 1) {}

  void add(const GranularityFact& fact) {
    const auto share = static_cast<double>(fact.time_ns - first_ns_) / static_cast<double>(length_ns_);
    Step& step = steps_[std::min(static_cast<std::size_t>(share * kSteps), kSteps - 1)];
    step.sum_ns += fact.threshold_ns;
    ++step.count;
  }

  [[nodiscard]] std::vector<GranularitySummary::Threshold> all() const {
    std::vector<GranularitySummary::Threshold> thresholds;
    for (std::size_t i = 0; i < kSteps; ++i) {
      if (steps_[i].count == 0) continue;
      const auto steps = static_cast<std::int64_t>(i);
      thresholds.push_back({first_ns_ + length_ns_ * steps / static_cast<std::int64_t>(kSteps),
                            steps_[i].sum_ns / static_cast<double>(steps_[i].count)});
    }
    return thresholds;
  }

 private:
  struct Step {
    double sum_ns = 0;
    std::uint64_t count = 0;
  };

  std::int64_t first_ns_;
  std::int64_t length_ns_;
  std::array<Step, kSteps> steps_{};
};

GranularitySummary summary_of(std::string name, const std::vector<const GranularityFact*>& facts) {
  GranularitySummary summary{.name = std::move(name)};
  const auto [first, last] =
      std::minmax_element(facts.begin(), facts.end(),
                          [](const GranularityFact* a, const GranularityFact* b) { return a->time_ns < b->time_ns; });
  Thresholds thresholds((*first)->time_ns, (*last)->time_ns);
  double decisions = 0;
  double decisions_ns = 0;
  for (const GranularityFact* const fact : facts) {
    summary.tasks += fact->tasks;
    summary.calls += fact->calls;
    decisions += fact->decisions;
    decisions_ns += fact->decisions_ns;
    thresholds.add(*fact);
  }
  if (decisions > 0) summary.decision_ns = decisions_ns / decisions;
  summary.thresholds = thresholds.all();
  return summary;
}

}  // namespace

std::vector<GranularitySummary> granularity_summaries(const graph::RecordedGraph& graph,
                                                      const trace::TraceFolder& trace) {
  std::map<std::uint32_t, std::vector<const GranularityFact*>> by_kernel;
  for (const GranularityFact& fact : graph.granularity) by_kernel[fact.kernel].push_back(&fact);
  std::vector<GranularitySummary> summaries;
  for (const auto& [id, facts] : by_kernel) {
    const trace::KernelDefinition* const definition = trace.kernel(id);
    summaries.push_back(summary_of(definition ? definition->name : "(kernel " + std::to_string(id) + ")", facts));
  }
  return summaries;
}

}  // namespace foretask::wiring
