// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "foretask/analysis/makespan.hpp"
#include "statistics/running_variance.hpp"
#include "statistics/tails.hpp"

namespace foretask::analysis {
namespace {

// The share of what a replay leaves out of a run on `recorded` cores that it leaves out on `cores`.
double left_out_share(std::uint32_t recorded, std::uint32_t cores) noexcept {
  if (recorded <= 1 || cores == 0) return 1;
  return (1 - 1.0 / cores) / (1 - 1.0 / recorded);
}

}  // namespace

std::optional<RunSpread> run_spread_of(const std::vector<std::int64_t>& measured_ns, std::int64_t replayed_ns,
                                       std::uint32_t workers) {
  if (measured_ns.size() < 2 || replayed_ns <= 0) return std::nullopt;
  statistics::RunningVariance logs;
  for (const std::int64_t ns : measured_ns) {
    if (ns <= 0) return std::nullopt;
    logs.add(std::log(static_cast<double>(ns) / static_cast<double>(replayed_ns)));
  }
  return RunSpread{.runs = static_cast<std::uint32_t>(measured_ns.size()),
                   .workers = workers,
                   .log_shift = logs.mean(),
                   .log_sd = logs.sd()};
}

std::optional<RunRange> run_range(const RunSpread& spread, std::uint32_t cores, std::int64_t replayed_ns,
                                  double drawn_log_sd, double recorded_log_sd) {
  if (spread.runs < kFewestRunsOfRange) return std::nullopt;
  const double runs = spread.runs;
  // The next run beside so many: it differs from their mean, which is uncertain itself.
  const double measured = spread.log_sd * spread.log_sd * (1 + 1 / runs);
  const double more = std::max(drawn_log_sd * drawn_log_sd - recorded_log_sd * recorded_log_sd, 0.0);
  const double half = statistics::student_t_two_sided_quantile(0.9, runs - 1) * std::sqrt(measured + more);
  const double median_ns =
      static_cast<double>(replayed_ns) * std::exp(spread.log_shift * left_out_share(spread.workers, cores));
  return RunRange{median_ns * std::exp(-half), median_ns, median_ns * std::exp(half)};
}

}  // namespace foretask::analysis
