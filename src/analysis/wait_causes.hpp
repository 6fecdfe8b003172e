// SPDX-License-Identifier: Apache-2.0
// Why the threads of a loop waited for the slowest of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "graph/team_shares.hpp"

namespace foretask::wiring {

// Of one loop, over all its executions.
class WaitCauses {
 public:
  // An execution by `threads` threads. `waited_ns`: what is to be explained of it.
  void add(const analysis::TeamWork& team, const analysis::TeamLoop& loop, std::span<const graph::TeamShare> shares,
           std::uint32_t threads, double waited_ns);

  // Empty where nothing was waited, or no thread's iterations are known. O(executions * threads) with all of add().
  [[nodiscard]] std::optional<analysis::WaitCauses> result() const;

 private:
  // Executions that divide the same iterations among as many threads.
  struct Alike {
    std::vector<double> ns;  // of each thread, summed
    double numbers_ns = 0;   // waited for the numbers of iterations alone
    double waited_ns = 0;
    double missing_ns = 0;   // what the other threads' times lack of the slowest's, summed
    double chunk_ns = 0;     // of it, as much as the longest chunk explains; if it hands_out
    bool hands_out = false;  // chunks, as threads ask for them
  };

  std::map<std::pair<std::uint64_t, std::uint32_t>, Alike> alike_;  // by iterations, threads
  double waited_ns_ = 0;
  double unknown_ns_ = 0;  // of it: of executions without seen iterations
};

}  // namespace foretask::wiring
