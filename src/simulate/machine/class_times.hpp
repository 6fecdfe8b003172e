// SPDX-License-Identifier: Apache-2.0
// What each node takes on each class of workers, with the speed-ups in force. 8 bytes a node and class.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"

namespace foretask::simulate {

class ClassTimes {
 public:
  // Errors: a kernel or a factor that cannot be, times whose sum does not fit 63 bits.
  [[nodiscard]] static Result<ClassTimes> of(const analysis::TaskGraph& graph, const std::vector<std::string>& classes,
                                             const analysis::SimulationOptions& options);

  // HOT. analysis::kNoDuration where it cannot run there.
  [[nodiscard]] std::int64_t ns(analysis::NodeIndex node, std::uint32_t worker_class) const noexcept {
    return by_class_[worker_class][node];
  }
  // On the class that it is fastest on; of a node with cores 0, which no worker runs, the graph's own duration.
  // kNoDuration where there is none.
  [[nodiscard]] std::int64_t fastest_ns(analysis::NodeIndex node) const noexcept { return fastest_[node]; }
  [[nodiscard]] const std::vector<std::int64_t>& fastest() const noexcept { return fastest_; }

 private:
  std::vector<std::vector<std::int64_t>> by_class_;
  std::vector<std::int64_t> fastest_;
};

}  // namespace foretask::simulate
