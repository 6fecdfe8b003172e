// SPDX-License-Identifier: Apache-2.0
// The options that say how a graph is replayed, for all commands that do: each is added by itself, checked as it is
// parsed, and turned into the simulator's settings.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/input.hpp"
#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace foretask::cli {

struct ReplayOptions {
  std::string policy;                  // empty: the input's default
  std::vector<std::string> speedups;   // KERNEL=F, checked
  std::vector<std::string> schedules;  // LOOP=KIND[,CHUNK], checked
  std::uint64_t seed = 1;
};

// The options refer to what they fill. --cores N: one number.
CLI::Option* add_core_count_option(CLI::App& command, std::uint32_t& cores, const std::string& help);
CLI::Option* add_policy_option(CLI::App& command, ReplayOptions& options);
CLI::Option* add_speedup_option(CLI::App& command, ReplayOptions& options);
CLI::Option* add_schedule_option(CLI::App& command, ReplayOptions& options);
// `note` goes behind the help's sentence.
CLI::Option* add_seed_option(CLI::App& command, ReplayOptions& options, std::string_view note = {});

struct SampleOptions {
  std::uint32_t samples = 0;      // --samples N; 0 without it
  std::vector<std::string> runs;  // --runs: folders of other recordings of the same program
};
CLI::Option* add_sample_option(CLI::App& command, SampleOptions& options);
// Needs `samples`, what add_sample_option() gave.
void add_runs_option(CLI::App& command, SampleOptions& options, CLI::Option* samples);
// --with: folders of other recordings of the same program, which say more of its loops.
CLI::Option* add_with_option(CLI::App& command, std::vector<std::string>& runs);

// Whether a run's tasks met a scheduler: annotated tasks of a sequential program, and ranks of MPI, have not.
[[nodiscard]] bool is_scheduled(const analysis::Report& report);

// All but the cores: the policy (default: work stealing with the recording's costs for a run of OpenMP, critical path
// for other runs, for a file and on a platform, heft on one that leaves the nodes to it), the costs, the seed, and the
// kernels sped up in order of their index; of one named twice the last factor; the loops' schedules. Errors: a kernel
// that the input does not have, one that is no loop which replays divide, a schedule on a platform.
[[nodiscard]] Result<analysis::SimulationOptions> replay_settings(
    const Input& input, const ReplayOptions& options, std::shared_ptr<const analysis::Platform> platform = nullptr);

}  // namespace foretask::cli
