// SPDX-License-Identifier: Apache-2.0
// Counters, and what the program says of its tasks: their kernels and parameters, and samples of its own, and
// which parts of it became tasks.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/reconstruction/reconstruction_state.hpp"

namespace foretask::graph {

class FactEvents {
 public:
  // `counter_bias`: what each counter's values are too large by.
  FactEvents(ReconstructionState& state, std::vector<double> counter_bias)
      : state_(state), counter_bias_(std::move(counter_bias)) {}

  void on_counters(std::uint32_t worker, const std::uint32_t* payload);
  void on_task_kernel(std::uint32_t worker, const std::uint32_t* payload);
  void on_task_parameter(std::uint32_t worker, const std::uint32_t* payload);
  void on_kernel_sample(const std::uint32_t* payload);
  void on_granularity(std::int64_t time_ns, const std::uint32_t* payload);
  // The body of an explicit task is over.
  void observe(std::uint32_t worker, const Frame& frame);

 private:
  ReconstructionState& state_;
  const std::vector<double> counter_bias_;
};

}  // namespace foretask::graph
