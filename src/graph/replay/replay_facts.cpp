// SPDX-License-Identifier: Apache-2.0
// Counters, and what the program says of its tasks.
#include <algorithm>
#include <bit>
#include <cmath>

#include "graph/replay/trace_replay.hpp"

namespace foretask::graph {
namespace {

std::uint64_t word64(const std::uint32_t* words) { return words[0] | static_cast<std::uint64_t>(words[1]) << 32; }

double number(const std::uint32_t* words) { return std::bit_cast<double>(word64(words)); }

}  // namespace

// What was counted between two tasks belongs to none.
void TraceReplay::on_counters(std::uint32_t worker, const std::uint32_t* payload) {
  const std::uint32_t count = payload[0];
  if (count == 0 || count != out_.counters.width() || writer_.current(worker) == kNoNode) return;
  const std::uint32_t task = out_.strands.task[writer_.current(worker)];
  for (std::uint32_t counter = 0; counter < count; ++counter) {
    const double used = static_cast<double>(word64(payload + 1 + 2 * counter)) - counter_bias_[counter];
    out_.counters.add(task, counter, std::max(0.0, used));
  }
}

void TraceReplay::on_task_kernel(std::uint32_t worker, const std::uint32_t* payload) {
  const std::uint32_t task = workers_[worker].last_created;
  if (task == kNone) {
    ++out_.anomalies;
    return;
  }
  TaskRecord& record = tasks_[task];
  if (record.state == TaskState::kComplete || record.has(kImplicit) || record.has(kPseudo)) {
    ++out_.anomalies;
    return;
  }
  record.kernel = kernels_.number(KernelSite::Kind::kNamed, payload[0]);
  Parameters& parameters = out_.parameters.row(task);
  for (std::uint32_t i = 0; i < payload[1]; ++i) parameters[i] = number(payload + 2 + 2 * i);
}

void TraceReplay::on_task_parameter(std::uint32_t worker, const std::uint32_t* payload) {
  if (payload[0] >= FORETASK_MAX_PARAMETERS || writer_.current(worker) == kNoNode) {
    ++out_.anomalies;
    return;
  }
  out_.parameters.row(out_.strands.task[writer_.current(worker)])[payload[0]] = number(payload + 1);
}

void TraceReplay::on_kernel_sample(const std::uint32_t* payload) {
  const double duration_ns = number(payload + 1);
  if (!std::isfinite(duration_ns) || duration_ns < 0) {
    ++out_.anomalies;
    return;
  }
  KernelSamples& samples = out_.samples[payload[0]];
  Parameters parameters;
  parameters.fill(kNotGiven);
  for (std::uint32_t i = 0; i < payload[3]; ++i) parameters[i] = number(payload + 4 + 2 * i);
  samples.duration_ns.push_back(duration_ns);
  samples.parameters.push_back(parameters);
}

// An explicit task's body is over.
void TraceReplay::observe(std::uint32_t worker, const Frame& frame) {
  const TaskRecord& record = tasks_[frame.task];
  if (out_.counters.width() != 0 && !out_.counters.find(frame.task)) return;
  if (out_.observations.size() <= record.kernel) out_.observations.resize(record.kernel + std::size_t{1});
  const double mean = frame.elapsed_ns > 0 ? frame.running_ns / frame.elapsed_ns : 1;
  out_.observations[record.kernel].add(record.work_ns, frame.task, static_cast<float>(mean), worker);
}

}  // namespace foretask::graph
