// SPDX-License-Identifier: Apache-2.0
// A graph made ready to be replayed on any numbers of cores, whatever the machine. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

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
};

// For identical cores or the platform of `options`, of which all counts but cores and seed. The graph must stay as long
// as the replayer. Throws std::bad_alloc.
[[nodiscard]] Result<std::unique_ptr<Replayer>> make_replayer(const analysis::TaskGraph& graph,
                                                              const analysis::SimulationOptions& options);
// The same with other times on plain cores, one a node, which stay as long as the replayer. For identical cores alone.
[[nodiscard]] Result<std::unique_ptr<Replayer>> make_replayer(const analysis::TaskGraph& graph,
                                                              const analysis::SimulationOptions& options,
                                                              std::span<const std::int64_t> duration_ns);
// Whether `options` ask for that machine, and not for one with classes of workers or a plan.
[[nodiscard]] bool is_on_identical_cores(const analysis::SimulationOptions& options) noexcept;

}  // namespace foretask::simulate
