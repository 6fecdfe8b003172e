// SPDX-License-Identifier: Apache-2.0
// A program's delay by what it grows with: Namsraijav and Taura's eq. 12, with steals beside it. Const and thread safe.
#pragma once

#include <optional>
#include <span>

#include "predict/program/core_shape.hpp"
#include "predict/program/program_cells.hpp"

namespace foretask::predict {

// Worker time.
struct IdlePart {
  double value = 0;
  double variance = 0;
  double imbalance = 0;  // of `value`: what no greedy schedule has
};

class DelayLaw {
 public:
  // What the delay grows with; 0 where it is not known.
  struct Causes {
    double create_task = 0;
    double wait_tasks = 0;
    double span = 0;
    double log_sd = 0;  // of the tasks' logarithm
  };
  struct Known {
    bool create_task = false;
    bool wait_tasks = false;
    bool span = false;
  };

  DelayLaw() = default;
  // `cells` by n. What is fitted is believed up to `reach` workers (worker_reach()).
  DelayLaw(std::span<const ProgramCell> cells, Known known, double reach);

  [[nodiscard]] IdlePart at(const Causes& causes, double work, double p) const;

 private:
  [[nodiscard]] double towards_share(double delay, double work, double p) const;

  std::optional<CoreShape> shape_;
  double reach_ = 1;
  double most_workers_ = 1;
  double share_ = 0;  // delay over work, on the most workers
};

}  // namespace foretask::predict
