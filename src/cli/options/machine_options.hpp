// SPDX-License-Identifier: Apache-2.0
// The options that say what machine a graph is replayed on, for the commands that replay it on several.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/options/input.hpp"
#include "foretask/analysis/platform.hpp"
#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace foretask::cli {

struct MachineOptions {
  std::string cores;     // a list; empty: the machine as it is
  std::string workers;   // CLASS=NUMBER,...; empty: identical cores, or
  std::string platform;  // a platform file
  bool models = false;   // times that are missing come from the stored models
};

// --cores LIST, --workers LIST, --platform FILE, --models: one of the first three is required, one of the second and
// the third for --models; --cores and --workers exclude each other. The options refer to what they fill.
void add_machine_options(CLI::App& command, MachineOptions& options);

// --workers LIST, --platform FILE and --models alone, beside the command's own `cores`. Once they are parsed,
// check_platform_options() is to be called: it throws where --models stands without a platform.
void add_platform_options(CLI::App& command, CLI::Option* cores, MachineOptions& options);
void check_platform_options(const MachineOptions& options);

// Null where identical cores are meant. With --models the input's tasks have the times of the stored models then; what
// is still missing is said on standard error. `adds_cores`: plain cores take the place of the file's own. The error is
// for a file that cannot be read, no store, or a class that no task knows.
[[nodiscard]] Result<std::shared_ptr<const analysis::Platform>> platform_of(Input& input, const MachineOptions& options,
                                                                            bool adds_cores);

// The numbers of cores to replay on; 0 for the machine as it is.
[[nodiscard]] std::vector<std::uint32_t> core_counts(const MachineOptions& options);

// Workers of a node; `cores`: plain cores instead of its own, 0: as it is.
[[nodiscard]] std::uint64_t workers_of(const analysis::PlatformNode& node, std::uint32_t cores) noexcept;

// All workers of the machine with so many cores (of each node).
[[nodiscard]] std::uint64_t workers_of(const analysis::SimulationOptions& settings, std::uint32_t cores);

// "8 cpu and 2 gpu", "16 nodes", "each of 16 nodes" where numbers of cores are of each; empty for identical cores.
[[nodiscard]] std::string machine_words(const analysis::SimulationOptions& settings, bool cores_are_of_each);

}  // namespace foretask::cli
