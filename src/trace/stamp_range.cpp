// SPDX-License-Identifier: Apache-2.0
#include "trace/stamp_range.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace foretask::trace {
namespace {

// Clocks of two processors differ by less.
constexpr double kToleranceNs = 10e6;
// After the end that was taken down, threads may still finish an event that they had begun.
constexpr double kLateNs = 1e9;
// The rate of a recording without an end was measured over a few milliseconds.
constexpr double kRateTolerance = 1.01;
// The clock of the machine that reads may differ from that of the one that recorded.
constexpr std::int64_t kHostsDifferS = 3600;

std::uint64_t later(base::Ticks from, double ns, double ticks_per_second) {
  const double ticks = static_cast<double>(from) + ns * 1e-9 * ticks_per_second;
  constexpr std::uint64_t kNoEnd = ~std::uint64_t{0} >> 1;
  return ticks < static_cast<double>(kNoEnd) ? static_cast<std::uint64_t>(ticks) : kNoEnd;
}

}  // namespace

std::int64_t seconds_of(const std::string& text) noexcept {
  std::tm parts{};
  const char* const rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return rest && *rest == '\0' ? static_cast<std::int64_t>(::timegm(&parts)) : 0;
}

StampRange stamp_range(const RunFile& run, std::int64_t now_s) {
  StampRange range;
  if (run.start.ticks == 0) return range;
  const auto slack = static_cast<std::uint64_t>(kToleranceNs * 1e-9 * run.ticks_per_second);
  range.earliest = run.start.ticks - std::min(run.start.ticks, slack);
  if (run.state == "complete" && run.end.ticks > run.start.ticks)
    range.latest = later(run.end.ticks, kLateNs, run.ticks_per_second);
  if (run.exit_ns > run.start.monotonic_ns && run.start.monotonic_ns != 0) {
    const double ran_ns = static_cast<double>(run.exit_ns - run.start.monotonic_ns);
    range.latest =
        std::min(range.latest, later(run.start.ticks, ran_ns * kRateTolerance + kToleranceNs, run.ticks_per_second));
  } else if (run.state != "complete") {
    const std::int64_t started_s = seconds_of(run.started);
    if (started_s != 0 && now_s + kHostsDifferS > started_s)
      range.latest =
          later(run.start.ticks, static_cast<double>(now_s + kHostsDifferS - started_s) * 1e9 * kRateTolerance,
                run.ticks_per_second);
  }
  return range;
}

bool clock_contradicts_itself(const RunFile& run) noexcept {
  if (run.state != "complete" || run.start.ticks == 0 || run.end.ticks == 0 || run.start.monotonic_ns == 0 ||
      run.end.monotonic_ns == 0)
    return false;
  if (run.end.ticks < run.start.ticks || run.end.monotonic_ns < run.start.monotonic_ns) return true;
  if (run.exit_ns != 0 && run.exit_ns < run.start.monotonic_ns) return true;
  const double counted_ns = static_cast<double>(run.end.ticks - run.start.ticks) / run.ticks_per_second * 1e9;
  const auto clocked_ns = static_cast<double>(run.end.monotonic_ns - run.start.monotonic_ns);
  return std::abs(counted_ns - clocked_ns) > 1e6 + 1e-3 * clocked_ns;
}

}  // namespace foretask::trace
