// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/work_inflation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

namespace foretask::analysis {
namespace {

constexpr double kLeastShare = 0.01;
constexpr double kNoise = 0.05;

// 0 of the serial part: one thread alone runs it, and shares nothing.
double work_of(const Report& report, const std::string& kernel) {
  const auto found = std::ranges::find(report.kernels, kernel, &KernelSummary::name);
  return found == report.kernels.end() || found->code.empty() ? 0 : static_cast<double>(found->work_ns);
}

// Another number of tasks is another input, or another search: the work says nothing of shared resources.
bool has_as_many_tasks(const Report& a, const Report& b) {
  constexpr double kMostOff = 0.01;
  const auto [least, most] = std::minmax(a.create_task, b.create_task);
  return static_cast<double>(most - least) <= kMostOff * static_cast<double>(most);
}

}  // namespace

bool WorkInflation::may_take(const Report& replayed, const Report& other) {
  return other.workers != replayed.workers && has_as_many_tasks(replayed, other);
}

WorkInflation::WorkInflation(const Report& replayed, const std::vector<const Report*>& others,
                             const std::vector<std::string>& kernel_names) {
  std::map<std::uint32_t, std::vector<const Report*>> by_workers;
  for (const Report* const other : others)
    if (may_take(replayed, *other)) by_workers[other->workers].push_back(other);
  by_workers[replayed.workers] = {&replayed};
  if (by_workers.size() < 2) return;
  for (const auto& [workers, reports] : by_workers) workers_.push_back(workers);
  std::vector<std::pair<double, Kernel>> found;  // with the largest difference
  for (std::size_t index = 0; index < kernel_names.size(); ++index) {
    Kernel kernel{.index = static_cast<std::uint32_t>(index), .name = kernel_names[index], .factors = {}};
    const double own = work_of(replayed, kernel.name);
    if (own < kLeastShare * static_cast<double>(replayed.work_ns) || own <= 0) continue;
    double most_ns = 0;
    for (const auto& [workers, reports] : by_workers) {
      double work = 0;
      for (const Report* const report : reports)
        work += work_of(*report, kernel.name) / static_cast<double>(reports.size());
      const double factor = work / own;
      // Where it is missing, it is another program's, or has another name there.
      const bool is_noise = !(factor > 0) || std::abs(factor - 1) < kNoise;
      kernel.factors.push_back(is_noise ? 1 : factor);
      most_ns = std::max(most_ns, std::abs(kernel.factors.back() - 1) * own);
    }
    if (most_ns > 0) found.emplace_back(most_ns, std::move(kernel));
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [most_ns, kernel] : found) kernels_.push_back(std::move(kernel));
}

std::vector<KernelWork> WorkInflation::table() const {
  std::vector<KernelWork> rows;
  for (const Kernel& kernel : kernels_)
    for (std::size_t i = 0; i < workers_.size(); ++i) rows.push_back({kernel.name, workers_[i], kernel.factors[i]});
  return rows;
}

std::vector<std::pair<std::uint32_t, double>> WorkInflation::speedups_on(std::uint32_t cores) const {
  std::vector<std::pair<std::uint32_t, double>> speedups;
  const auto next = static_cast<std::size_t>(
      std::find_if(workers_.begin(), workers_.end(), [cores](std::uint32_t workers) { return workers >= cores; }) -
      workers_.begin());
  for (const Kernel& kernel : kernels_) {
    double factor = 1;
    if (next == 0 || next == workers_.size()) {
      factor = next == 0 ? kernel.factors.front() : kernel.factors.back();
    } else {
      const double low = std::log2(static_cast<double>(workers_[next - 1]));
      const double high = std::log2(static_cast<double>(workers_[next]));
      const double part = (std::log2(static_cast<double>(cores)) - low) / (high - low);
      factor = kernel.factors[next - 1] + part * (kernel.factors[next] - kernel.factors[next - 1]);
    }
    if (factor != 1) speedups.emplace_back(kernel.index, 1 / factor);
  }
  return speedups;
}

}  // namespace foretask::analysis
