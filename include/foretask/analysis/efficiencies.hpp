// SPDX-License-Identifier: Apache-2.0
// The POP project's efficiencies of a run (https://pop-coe.eu/node/69), as HPC centres compare codes by, of the threads
// of one process.
#pragma once

#include <cstdint>
#include <optional>

#include "foretask/analysis/run.hpp"

namespace foretask::analysis {

// Each is 1 where nothing is lost. parallel = load_balance * serialisation * transfer; global = parallel *
// computation_scaling. Useful time is that of CoreTime before a comparison with a base; wall is Report::elapsed_ns,
// without waits for a core, which no program can help.
struct Efficiencies {
  std::uint32_t workers = 0;
  std::int64_t wall_ns = 0;
  double parallel = 0;       // mean useful time of the workers / wall
  double load_balance = 0;   // the mean / the most of any
  double serialisation = 0;  // the most of any / the wall time if the runtime took nothing, by a replay
  double transfer = 0;       // that wall time / wall: what the runtime takes, as data transfer is with MPI
  // Against the reference, a run on fewer workers; empty: there is none.
  std::optional<double> computation_scaling;  // its useful time / this one's, of all workers
  std::optional<double> instruction_scaling;  // likewise of instructions, where both counted them
  std::optional<double> ipc_scaling;          // instructions a cycle / the reference's, likewise
  std::optional<double> global;
};

// `reference`: of the same program and input; null: none. A replay of `run` on its own workers.
[[nodiscard]] Efficiencies efficiencies_of(const Run& run, const Run* reference);

}  // namespace foretask::analysis
