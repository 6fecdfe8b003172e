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

// `how` it was run, then.
std::string not_comparable(const std::string& how, const LaunchedRun& run, const LaunchedRun& recorded) {
  return fmt::format("{} the program {}; recorded, it {}. So their times cannot be compared.", how, end_words(run),
                     end_words(recorded));
}

std::string time_words(const LaunchedRun& run) { return format_ns(elapsed(run)); }

}  // namespace

std::string baseline_words(const analysis::Baseline& baseline) {
  const auto& [own, stand_in, recorded] = baseline;
  if (!own.ended_like(recorded)) return not_comparable("Unrecorded,", own, recorded);
  std::string words = "Unrecorded, the program took " + time_words(own);
  if (own.runtime == recorded.runtime)
    return words + fmt::format("; recorded, {}: {}.", time_words(recorded), compared(recorded, own));
  words += fmt::format(" on its own runtime ({})", own.runtime);
  if (stand_in && stand_in->ended_like(recorded))
    return words + fmt::format(", and {0} on {1}: {2}. Recorded, it took {3} on {1}, against {0}: {4}.",
                               time_words(*stand_in), stand_in->runtime, compared(*stand_in, own), time_words(recorded),
                               compared(recorded, *stand_in));
  words += fmt::format("; recorded, {} on {}: {}.", time_words(recorded), recorded.runtime, compared(recorded, own));
  if (!stand_in) return words;
  return words + " " + not_comparable(fmt::format("Unrecorded on {},", stand_in->runtime), *stand_in, recorded);
}

}  // namespace foretask::report
