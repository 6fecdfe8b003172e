// SPDX-License-Identifier: Apache-2.0
#include "predict/program/kernel_works.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "predict/growth/size_levels.hpp"
#include "statistics/quantile.hpp"

namespace foretask::predict {
namespace {

constexpr double kLeastKernel = 0.02;  // of the work at the largest size
constexpr double kLeastRest = 0.0005;  // of a run's work: less is rounding
constexpr std::size_t kMostKernels = 24;

// Of one kernel in each of the runs with one n and p.
struct Work {
  std::vector<double> work;
  std::vector<double> tasks;
  std::vector<double> memory_bytes;

  void add(double own_work, double own_tasks, double own_bytes) {
    work.push_back(own_work);
    tasks.push_back(own_tasks);
    memory_bytes.push_back(own_bytes);
  }
};
using Works = std::map<std::pair<double, double>, Work>;

// The kernels that count, most work first.
std::vector<std::string> large_kernels(std::span<const analysis::ProgramRun> runs) {
  const auto& largest =
      *std::max_element(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.n < b.n; });
  std::vector<std::string> names;
  for (const analysis::ProgramKernel& kernel : largest.kernels) {
    const bool is_everywhere = std::all_of(runs.begin(), runs.end(), [&](const analysis::ProgramRun& run) {
      return std::any_of(run.kernels.begin(), run.kernels.end(), [&](const analysis::ProgramKernel& other) {
        return other.name == kernel.name && other.work > 0;
      });
    });
    if (is_everywhere && kernel.work >= kLeastKernel * largest.work && names.size() < kMostKernels)
      names.push_back(kernel.name);
  }
  return names;
}

}  // namespace

std::optional<KernelWorks> KernelWorks::find(std::span<const analysis::ProgramRun> runs, const MemorySlowdown* memory) {
  if (runs.empty()) return std::nullopt;
  std::vector<std::string> names = large_kernels(runs);
  std::vector<Works> works;
  Works rest;
  // As many as leave something, or nothing, for the rest.
  for (bool is_done = false; !is_done && !names.empty();) {
    works.assign(names.size(), {});
    rest.clear();
    bool has_rest = false, has_none = false;
    for (const analysis::ProgramRun& run : runs) {
      double left = run.work;
      double left_bytes = 0;
      for (const analysis::ProgramKernel& kernel : run.kernels) left_bytes += kernel.memory_bytes;
      for (std::size_t i = 0; i < names.size(); ++i)
        for (const analysis::ProgramKernel& kernel : run.kernels)
          if (kernel.name == names[i]) {
            works[i][{run.n, run.p}].add(kernel.work, kernel.tasks, kernel.memory_bytes);
            left -= kernel.work;
            left_bytes -= kernel.memory_bytes;
          }
      (left > kLeastRest * run.work ? has_rest : has_none) = true;
      rest[{run.n, run.p}].add(left, 0, left_bytes);
    }
    is_done = !(has_rest && has_none);
    if (is_done && has_none) rest.clear();
    if (!is_done) names.pop_back();
  }
  if (names.size() + (rest.empty() ? 0 : 1) < 2) return std::nullopt;
  KernelWorks all;
  const auto add = [&](const std::string& name, const Works& of) {
    std::vector<WorkSample> samples;
    std::vector<std::vector<double>> works_of;
    for (const auto& [key, runs_of] : of) works_of.push_back(runs_of.work);
    const std::vector<double> deviations = median_deviations(works_of);
    for (const auto& [key, runs_of] : of) {
      WorkSample sample{key.first, key.second, undisturbed(runs_of.work), statistics::median(runs_of.tasks),
                        deviations[samples.size()]};
      // NaN where any was not counted.
      const double bytes = std::accumulate(runs_of.memory_bytes.begin(), runs_of.memory_bytes.end(), 0.0);
      if (memory && key.second == 1 && !std::isnan(bytes))
        sample.memory_share = memory->share(statistics::median(runs_of.memory_bytes), sample.work);
      samples.push_back(sample);
    }
    std::optional<GrowthLaw> counts;
    std::vector<SizeLevel> levels;
    for (const WorkSample& sample : samples)
      if (levels.empty() || levels.back().n != sample.n) levels.push_back({.n = sample.n, .value = sample.tasks});
    if (std::all_of(levels.begin(), levels.end(), [](const SizeLevel& level) { return level.value > 0; }))
      counts = GrowthLaw::of_counts(std::move(levels));
    all.laws_.push_back({name, WorkLaw::find(std::move(samples), memory), std::move(counts)});
  };
  for (std::size_t i = 0; i < names.size(); ++i) add(names[i], works[i]);
  if (!rest.empty()) add("the rest", rest);
  return all;
}

template <typename Of>
LogEstimate KernelWorks::total(double n, const Of& of) const {
  double sum = 0, variance = 0;
  for (const Law& law : laws_) {
    const LogEstimate part = of(law.work);
    const double log_sd = law.counts ? std::hypot(part.log_sd, law.counts->at(n).log_sd) : part.log_sd;
    sum += part.value;
    variance += part.value * log_sd * part.value * log_sd;
  }
  return {sum, sum > 0 ? std::sqrt(variance) / sum : 0};
}

LogEstimate KernelWorks::serial(double n) const {
  return total(n, [n](const WorkLaw& law) { return law.serial(n); });
}

LogEstimate KernelWorks::at(double n, double p) const {
  return total(n, [n, p](const WorkLaw& law) { return law.at(n, p); });
}

bool KernelWorks::has_counted_memory() const {
  return std::all_of(laws_.begin(), laws_.end(), [](const Law& law) { return law.work.has_counted_memory(); });
}

std::string KernelWorks::formula() const {
  std::string text;
  for (const auto& [name, law, counts] : laws_) {
    const std::string growth = law.growth_text(), inflation = law.inflation_text();
    const bool sum = growth.find(" + ") != std::string::npos || growth.find(" - ") != std::string::npos;
    text += (text.empty() ? "" : "; ") + name + ": ";
    text += sum && !inflation.empty() ? "(" + growth + ")" : growth;
    text += inflation;
  }
  return text;
}

}  // namespace foretask::predict
