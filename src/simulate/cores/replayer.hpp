// SPDX-License-Identifier: Apache-2.0
// A graph made ready to be replayed on any numbers of cores, whatever the machine. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"

namespace foretask::simulate {

// What every kind of replay gives.
struct Replay {
  std::int64_t makespan_ns = 0;
  std::size_t finished = 0;  // fewer than there are nodes: the rest waits on a cycle
  bool is_random = false;    // another seed might give another makespan
};

// Gives `result` what follows from its work and its makespan, in which the workers were busy for `busy_ns` together.
inline void rate(analysis::SimulationResult& result, std::int64_t busy_ns, std::uint32_t workers) noexcept {
  if (result.makespan_ns <= 0) return;
  const auto makespan = static_cast<double>(result.makespan_ns);
  result.speedup = static_cast<double>(result.work_ns) / makespan;
  result.utilization = static_cast<double>(busy_ns) / (makespan * workers);
}

class Replayer {
 public:
  Replayer() = default;
  Replayer(const Replayer&) = delete;
  Replayer& operator=(const Replayer&) = delete;
  virtual ~Replayer() = default;

  // `cores` and `seed` as in SimulationOptions. Throws std::bad_alloc.
  [[nodiscard]] virtual Result<analysis::SimulationResult> run(std::uint32_t cores, std::uint64_t seed) = 0;
};

}  // namespace foretask::simulate
