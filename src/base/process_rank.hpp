// SPDX-License-Identifier: Apache-2.0
// Which of several processes started together this one is, as their launcher (mpirun, srun) says in the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace foretask::base {

struct ProcessRank {
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;  // 0: the launcher does not say (PMIx)
};

// Nothing where no launcher is known to have started this process, or it is the only one.
[[nodiscard]] std::optional<ProcessRank> read_process_rank();

// A short name for the run that this process is started in: the same in all of its processes, and hardly ever that of
// another run. Empty where the launcher tells nothing of it.
[[nodiscard]] std::string read_job_name();

// The folder of one rank's recording where the user named one for all: "run" -> "run.rank3". A name that says the rank
// already ("run.rank3", "run.rank3.2") stays.
[[nodiscard]] std::string rank_folder(const std::string& folder, std::uint32_t rank);

}  // namespace foretask::base
