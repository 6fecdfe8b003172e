// SPDX-License-Identifier: Apache-2.0
#include "cli/options/model_times.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "foretask/analysis/model_times.hpp"

namespace foretask::cli {
namespace {

void warn_of(const analysis::ModelTimes& times) {
  if (times.predicted != times.tasks)
    note(fmt::format("warning: no time on {} for {} of {} tasks of '{}' that need one: {}", times.worker_class,
                     times.tasks - times.predicted, times.tasks, times.kernel, times.reason));
  if (times.extrapolated != 0)
    note(fmt::format(
        "warning: {} of {} times of '{}' on {} are extrapolated: their parameters lie outside of what was learned",
        times.extrapolated, times.predicted, times.kernel, times.worker_class));
}

}  // namespace

Result<void> add_times_of_models(Input& input, const std::vector<std::string>& classes) {
  if (input.run) input.timed = analysis::graph_with_parameters(*input.run);
  const auto times = analysis::add_model_times(input.run ? *input.timed : input.file, classes);
  if (!times) return times.error();
  for (const analysis::ModelTimes& one : *times) warn_of(one);
  return {};
}

}  // namespace foretask::cli
