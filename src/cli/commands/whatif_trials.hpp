// SPDX-License-Identifier: Apache-2.0
// foretask whatif --schedules: what the program gains when its parallel loops have other schedules. --grain and
// --depth: what it gains when small or deep tasks are plain calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options/input.hpp"
#include "foretask/analysis/simulate.hpp"
#include "report/whatif/cut_offs.hpp"
#include "report/whatif/loop_schedules.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace foretask::cli {

struct CutOffOptions {
  std::string grains;  // --grain: a list of times, or "auto"; empty: not asked for
  std::string depths;  // --depth: a list of depths, or "auto"; empty: not asked for

  [[nodiscard]] bool any() const noexcept { return !grains.empty() || !depths.empty(); }
};

// --grain and --depth, of which only one may be given. They refer to what they fill.
std::vector<CLI::Option*> add_cut_off_options(CLI::App& command, CutOffOptions& options);

// `names`: kernels whose tasks may become calls; empty: all. Shows progress. Errors: no recorded run, a name that no
// kernel has, the replays'.
[[nodiscard]] Result<report::CutOffs> best_cut_offs(const Input& input, const analysis::SimulationOptions& settings,
                                                    const CutOffOptions& options, const std::vector<std::string>& names,
                                                    const std::vector<std::uint32_t>& cores);

// `names`: the loops asked for; empty: each with 1 % of the work. Shows progress. Errors: no identical cores; a name
// that is none of a loop; the replays'.
[[nodiscard]] Result<report::LoopSchedules> best_schedules(const Input& input,
                                                           const analysis::SimulationOptions& settings,
                                                           const std::vector<std::string>& names,
                                                           const std::vector<std::uint32_t>& cores);

}  // namespace foretask::cli
