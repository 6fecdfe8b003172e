// SPDX-License-Identifier: Apache-2.0
// Counters, active workers and the sources of spread, a kernel at a time.
#pragma once

#include <string>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "graph/reconstruction/recorded_graph.hpp"
#include "trace/trace_folder.hpp"

namespace foretask::wiring {

// Of one recording: what the counters of the run say of each of its kernels.
struct KernelDetails {
  std::vector<analysis::CounterSummary> counters;
  std::vector<analysis::CounterRatio> ratios;
  std::vector<analysis::ActiveWorkers> active_workers;
  analysis::Variability variability;
};

// Names of the counters that were read, in the order of the recorded values.
[[nodiscard]] std::vector<std::string> counter_names(const trace::RunFile& run);
// What each of their values is too large by.
[[nodiscard]] std::vector<double> counter_bias(const trace::RunFile& run);

// One a kernel of `graph`, by index.
[[nodiscard]] std::vector<KernelDetails> kernel_details(const graph::RecordedGraph& graph,
                                                        const trace::TraceFolder& trace);

// Adds what another recording of the same program says of the same kernel: its counters, the ratios that need both, and
// its verdict on the spread where it could look at more. `run` is the other one's number.
void merge_details(const KernelDetails& other, std::uint32_t run, analysis::KernelSummary& kernel);

// Ratios between counters of different runs, once all are merged.
void add_ratios_across_runs(analysis::KernelSummary& kernel);

// A kernel's traffic between memory and the last-level cache, in bytes: a line of 64 for each counted miss. NaN where
// no counter of such misses was recorded. Of PAPI's and the kernel's names of one event the first that was counted.
[[nodiscard]] double memory_bytes_of(const analysis::KernelSummary& kernel);

}  // namespace foretask::wiring
