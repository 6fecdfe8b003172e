// SPDX-License-Identifier: Apache-2.0
#include "report/cut_off_words.hpp"

#include <fmt/format.h>

#include "report/units.hpp"

namespace foretask::report {

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
      "tasks "
      "as plain calls. To try others: foretask whatif --grain auto.",
      cut_off_words({.grain_ns = advice.grain_ns, .kernels = {}}), depth,
      format_ns(static_cast<double>(advice.predicted_ns)), format_count(advice.workers, "worker", "workers"),
      format_ns(static_cast<double>(advice.elapsed_ns)));
}

}  // namespace foretask::report
