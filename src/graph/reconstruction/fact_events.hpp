// SPDX-License-Identifier: Apache-2.0
// Counters, and what the program says of its tasks: their kernels and parameters, and samples of its own, and
// which parts of it became tasks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "graph/reconstruction/reconstruction_state.hpp"

namespace foretask::graph {

class FactEvents {
 public:
  // `counter_bias`: what each counter's values are too large by.
  FactEvents(ReconstructionState& state, std::vector<double> counter_bias)
      : state_(state), counter_bias_(std::move(counter_bias)) {}

  // What was counted between two tasks belongs to none.
  void on_counters(std::uint32_t worker, const std::uint32_t* payload) {
    const std::uint32_t count = payload[0];
    const NodeIndex strand = state_.writer.current(worker);
    CounterTable& counters = state_.out.counters;
    if (count == 0 || count != counters.width() || strand == kNoNode) return;
    for (std::uint32_t counter = 0; counter < count; ++counter) {
      const double used = static_cast<double>(trace::u64_at(payload + 1 + 2 * counter)) - counter_bias_[counter];
      counters.add(state_.out.strands.task[strand], counter, std::max(0.0, used));
    }
  }

  void on_task_kernel(std::uint32_t worker, const std::uint32_t* payload) {
    const std::uint32_t task = state_.workers[worker].last_created;
    if (task == kNone) return state_.count_anomaly();
    TaskRecord& record = state_.tasks[task];
    if (record.state == TaskState::kComplete || record.has(kImplicit) || record.has(kPseudo))
      return state_.count_anomaly();
    record.kernel = state_.kernels.number(KernelSite::Kind::kNamed, payload[0]);
    Parameters& parameters = state_.out.parameters.row(task);
    for (std::uint32_t i = 0; i < payload[1]; ++i) parameters[i] = trace::f64_at(payload + 2 + 2 * i);
  }

  void on_task_parameter(std::uint32_t worker, const std::uint32_t* payload) {
    const NodeIndex strand = state_.writer.current(worker);
    if (payload[0] >= FORETASK_MAX_PARAMETERS || strand == kNoNode) return state_.count_anomaly();
    state_.out.parameters.row(state_.out.strands.task[strand])[payload[0]] = trace::f64_at(payload + 1);
  }

  void on_kernel_sample(const std::uint32_t* payload) {
    const double duration_ns = trace::f64_at(payload + 1);
    if (!std::isfinite(duration_ns) || duration_ns < 0) return state_.count_anomaly();
    KernelSamples& samples = state_.out.samples[payload[0]];
    Parameters parameters;
    parameters.fill(kNotGiven);
    for (std::uint32_t i = 0; i < payload[3]; ++i) parameters[i] = trace::f64_at(payload + 4 + 2 * i);
    samples.duration_ns.push_back(duration_ns);
    samples.parameters.push_back(parameters);
  }

  void on_granularity(std::int64_t time_ns, const std::uint32_t* payload) {
    state_.out.granularity.push_back({.time_ns = time_ns,
                                      .kernel = payload[0],
                                      .tasks = payload[1],
                                      .calls = payload[2],
                                      .decisions = payload[3],
                                      .decisions_ns = payload[4],
                                      .threshold_ns = payload[5]});
  }

  // The body of an explicit task is over.
  void observe(std::uint32_t worker, const Frame& frame) {
    const TaskRecord& record = state_.tasks[frame.task];
    RecordedGraph& out = state_.out;
    if (out.counters.width() != 0 && !out.counters.find(frame.task)) return;
    if (out.observations.size() <= record.kernel) out.observations.resize(record.kernel + std::size_t{1});
    const double mean = frame.elapsed_ns > 0 ? frame.running_ns / frame.elapsed_ns : 1;
    out.observations[record.kernel].add(record.work_ns, frame.task, static_cast<float>(mean), worker);
  }

 private:
  ReconstructionState& state_;
  const std::vector<double> counter_bias_;
};

}  // namespace foretask::graph
