// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/run/kernel_functions.hpp"
#include "report/short_names.hpp"
#include "report/text.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

constexpr std::size_t kMostShown = 5;
constexpr double kLeastShare = 0.01;  // of the work
constexpr std::uint64_t kFewSamples = 5;
constexpr double kMuchMissing = 0.2;  // of the kernel's work

// In the columns of the table of kernels.
void add_row(Text& text, const analysis::Report& report, double time_ns, std::string_view name) {
  add(text, "  {:>12}  {:>10}  {:>10}  {:>6}  {:>8}  {:>9}     {}\n", "", format_ns(time_ns), "", "",
      format_share(ratio(time_ns, static_cast<double>(report.work_ns))), "", name);
}

std::string_view function_of(std::string_view name) { return name.substr(0, name.find(" (")); }

}  // namespace

FunctionRows function_rows(const analysis::Report& report, const analysis::KernelSummary& kernel) {
  if (report.function_sampling.period_ns == 0) return {};
  const double least_ns = std::max(kLeastShare * static_cast<double>(report.work_ns),
                                   static_cast<double>(kFewSamples * report.function_sampling.period_ns));
  const auto work_ns = static_cast<double>(kernel.work_ns);
  double missing_ns = work_ns;
  std::size_t shown = 0;  // most time first
  for (const analysis::FunctionTime& function : kernel.functions) {
    missing_ns -= static_cast<double>(function.time_ns);
    if (shown < kMostShown && static_cast<double>(function.time_ns) >= least_ns) ++shown;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shown; ++i) names.push_back(kernel.functions[i].name);
  const ShortNames short_names(names);
  Text text;
  // Three standard deviations of a number of samples.
  const double by_chance_ns = 3 * std::sqrt(work_ns * report.function_sampling.period_ns);
  const bool has_missing = missing_ns >= std::max({least_ns, kMuchMissing * work_ns, by_chance_ns});
  const bool is_own = shown == 1 && function_of(kernel.functions.front().name) == function_of(kernel.name);
  if (has_missing || !is_own)
    for (std::size_t i = 0; i < shown; ++i)
      add_row(text, report, static_cast<double>(kernel.functions[i].time_ns), short_names.of(names[i]));
  if (has_missing) add_row(text, report, missing_ns, "(not sampled)");
  return {fmt::to_string(text), has_missing};
}

std::string sampling_text(const analysis::FunctionSampling& sampling, bool has_missing) {
  if (!sampling.reason.empty())
    return fmt::format("Functions within kernels were not sampled: {}. foretask doctor says what to do.\n",
                       sampling.reason);
  if (sampling.samples == 0) return {};
  Text text;
  add(text, "Indented: functions, by {} of where the threads were, {} apart.{}\n",
      format_count(sampling.samples, "sample", "samples"), format_ns(sampling.period_ns),
      sampling.lost == 0 ? "" : fmt::format(" {} more were lost.", format_count(sampling.lost)));
  if (has_missing) add(text, "(not sampled): before the recording began, or not on a core.\n");
  return fmt::to_string(text);
}

}  // namespace foretask::report
