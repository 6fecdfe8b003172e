// SPDX-License-Identifier: Apache-2.0
// A graph made ready to be replayed on any numbers of cores, whatever the machine. One thread at a time.
#pragma once

#include <cstdint>

#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"

namespace foretask::simulate {

class Replayer {
 public:
  Replayer() = default;
  Replayer(const Replayer&) = delete;
  Replayer& operator=(const Replayer&) = delete;
  virtual ~Replayer() = default;

  // `cores` and `seed` as in SimulationOptions. Throws std::bad_alloc.
  [[nodiscard]] virtual Result<analysis::SimulationResult> run(std::uint32_t cores, std::uint64_t seed) = 0;

  // Of the last run: whether another seed might have given another result.
  [[nodiscard]] virtual bool was_random() const noexcept { return false; }
};

}  // namespace foretask::simulate
