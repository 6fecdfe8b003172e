// SPDX-License-Identifier: Apache-2.0
#include "report/sentences.hpp"

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

std::string range_words(const analysis::TimeRange& range) {
  const std::string lowest = format_ns(range.lowest_ns);
  return range.is_known() ? lowest : lowest + " to " + format_ns(range.highest_ns);
}

std::string cut_off_words(const analysis::CutOff& cut_off) {
  if (cut_off.depth != analysis::kAnyDepth) return fmt::format("depth {}", cut_off.depth);
  const auto ns = static_cast<double>(cut_off.grain_ns);
  if (ns < 1e3) return fmt::format("{} ns", cut_off.grain_ns);
  if (ns < 1e6) return fmt::format("{:g} us", ns / 1e3);
  if (ns < 1e9) return fmt::format("{:g} ms", ns / 1e6);
  return fmt::format("{:g} s", ns / 1e9);
}

std::string advice_words(const analysis::CutOffAdvice& advice) {
  const std::string depth = advice.depth ? fmt::format(" (or at depth {})", *advice.depth) : "";
  return fmt::format(
      "With a cut-off at {}{} this run would take {} on {} instead of {}. That is a replay of it, with all smaller "
      "tasks as plain calls. To try others: foretask whatif --grain auto.",
      cut_off_words({.grain_ns = advice.grain_ns, .kernels = {}}), depth, format_ns(advice.predicted_ns),
      format_count(advice.workers, "worker", "workers"), range_words(advice.unrecorded));
}

double loop_parts_share(const analysis::Report& report) { return ratio(report.loop_parts_span_ns, report.span_ns); }

std::string loop_parts_words(double share, std::uint32_t workers) {
  constexpr double kMuch = 0.1;
  if (share < kMuch) return {};
  return fmt::format(
      "Parts of loops are {} of the critical path, as they were on {}. The runtime divides a loop by the number of its "
      "threads, unless the program sets the parts' size (simple_partitioner): with more threads the parts are smaller",
      format_share(share), format_count(workers, "worker", "workers"));
}

}  // namespace foretask::report
