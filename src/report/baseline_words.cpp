// SPDX-License-Identifier: Apache-2.0
#include "report/baseline_words.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::LaunchedRun;

// Two runs of one program differ by as much.
constexpr double kAlike = 0.02;
constexpr double kManyTimes = 2;

double elapsed(const LaunchedRun& run) { return static_cast<double>(run.elapsed_ns); }

// "35 % longer".
std::string compared(const LaunchedRun& run, const LaunchedRun& before) {
  const double times = elapsed(run) / elapsed(before);
  if (times >= kManyTimes) return fmt::format("{:.1f} times as long", times);
  if (std::abs(times - 1) < kAlike) return fmt::format("no difference above {:.0f} %", 100 * kAlike);
  return fmt::format("{:.0f} % {}", 100 * std::abs(times - 1), times > 1 ? "longer" : "shorter");
}

std::string end_words(const LaunchedRun& run) {
  if (run.signal != 0) return fmt::format("was killed by signal {} ({})", run.signal, ::strsignal(run.signal));
  return fmt::format("ended with exit code {}", run.exit_code);
}

std::string time_words(const LaunchedRun& run) { return format_ns(elapsed(run)); }

}  // namespace

std::string baseline_words(const analysis::Baseline& baseline) {
  const auto& [own, recorded] = baseline;
  if (!own.ended_like(recorded))
    return fmt::format("Unrecorded, the program {}; recorded, it {}. So their times cannot be compared.",
                       end_words(own), end_words(recorded));
  return fmt::format("Unrecorded, the program took {}; recorded, {}: {}.", time_words(own), time_words(recorded),
                     compared(recorded, own));
}

}  // namespace foretask::report
