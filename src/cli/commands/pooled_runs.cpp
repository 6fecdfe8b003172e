// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/pooled_runs.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/command.hpp"
#include "foretask/analysis/model_times.hpp"
#include "foretask/analysis/pooled_loops.hpp"
#include "report/plain_text.hpp"

namespace foretask::cli {
namespace {

void warn_of_no_match(const Input& input, const report::PooledRun& pooled, bool takes_work) {
  if (pooled.matched != 0) return;
  const std::string why =
      pooled.loops == 0
          ? fmt::format("{} has no parallel loop that was seen{}", input.path,
                        takes_work ? ", and the other is not of as many tasks on another number of workers" : "")
          : fmt::format("no loop execution of {} is in it. It may be of another input, or lack events", input.path);
  note(report::wrapped(fmt::format("warning: {} changes nothing: {}", pooled.run, why)));
}

}  // namespace

Result<PooledRuns> pool_runs(Input& input, const InputOptions& reading, const std::vector<std::string>& runs,
                             const analysis::SimulationOptions& settings, bool takes_work) {
  PooledRuns pooled;
  if (runs.empty()) return pooled;
  if (!input.run)
    return Error{.what = "--with needs a recorded run as INPUT, and " + input.path + " is a task-graph file"};
  if (settings.platform || settings.policy == analysis::Policy::kHeft)
    return Error{.what = "--with needs identical cores, and another policy than heft"};
  std::vector<analysis::Run> recordings;
  for (const std::string& folder : runs) {
    auto run = load_run(folder, reading);
    if (!run) return run.error();
    const analysis::Report& other = run->report();
    if (other.program != input.run->report().program)
      return Error{.what = "it is not a recording of the same program as " + input.path, .path = folder};
    if (other.parameters != input.run->report().parameters)
      return Error{.what = "it was recorded with other parameters than " + input.path, .path = folder};
    note_warnings(other);
    recordings.push_back(*std::move(run));
  }
  std::vector<const analysis::TaskGraph*> graphs;
  for (const analysis::Run& run : recordings) graphs.push_back(&run.graph());
  input.timed = analysis::graph_with_parameters(*input.run);
  const auto found = analysis::pool_loops(*input.timed, graphs);
  if (!found) return found.error();
  const analysis::Report& own = input.run->report();
  std::vector<const analysis::Report*> reports;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const report::PooledRun& row = pooled.loops.emplace_back(
        report::PooledRun{runs[i], (*found)[i].loops, (*found)[i].matched, (*found)[i].refined});
    // Where there are loops and none is in both, it is of another input.
    const bool is_same_input = row.loops == 0 || row.matched != 0;
    const bool has_work = takes_work && is_same_input && analysis::WorkInflation::may_take(own, recordings[i].report());
    if (has_work) reports.push_back(&recordings[i].report());
    if (!has_work) warn_of_no_match(input, row, takes_work);
  }
  if (!reports.empty()) pooled.inflation = {own, reports, input.graph().kernel_names};
  return pooled;
}

}  // namespace foretask::cli
