// SPDX-License-Identifier: Apache-2.0
#include "simulate/sampled/replay_error.hpp"

#include <cmath>
#include <memory>
#include <new>

#include "simulate/replayer.hpp"
#include "statistics/random.hpp"
#include "statistics/running_variance.hpp"

namespace foretask::simulate {

namespace {

// Apart from the streams of DurationDraws and of BetweenRuns.
constexpr std::uint64_t kStream = std::uint64_t{3} << 61;

}  // namespace

double left_out_share(std::uint32_t recorded, std::uint32_t cores) noexcept {
  if (recorded <= 1 || cores == 0) return 1;
  return (1 - 1.0 / cores) / (1 - 1.0 / recorded);
}

void add_left_out(const analysis::ReplayError& error, std::uint32_t cores, std::uint64_t seed,
                  std::span<double> makespans_ns) {
  const double share = left_out_share(error.workers, cores);
  for (std::size_t i = 0; i < makespans_ns.size(); ++i)
    makespans_ns[i] *=
        std::exp(share * (error.log_ratio + error.log_sd * statistics::RandomAt(seed, kStream + i).normal(0)));
}

}  // namespace foretask::simulate

namespace foretask::analysis {

Result<std::optional<ReplayError>> replay_error_of(const TaskGraph& graph, const SimulationOptions& settings,
                                                   std::uint32_t workers, std::int64_t measured_ns,
                                                   std::uint32_t replays) {
  std::optional<ReplayError> error;
  if (measured_ns <= 0 || workers == 0 || replays == 0) return error;
  try {
    const auto replayer = simulate::make_replayer(graph, settings);
    if (!replayer) return replayer.error();
    statistics::RunningVariance logs;
    for (std::uint32_t i = 0; i < replays; ++i) {
      const auto replay = (*replayer)->run(workers, settings.seed + i);
      if (!replay) return replay.error();
      if (replay->makespan_ns <= 0) return error;
      logs.add(std::log(static_cast<double>(measured_ns) / static_cast<double>(replay->makespan_ns)));
    }
    error = ReplayError{workers, logs.mean(), logs.sd()};
    return error;
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the replay"};
  }
}

}  // namespace foretask::analysis
