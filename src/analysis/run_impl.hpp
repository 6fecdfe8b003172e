// SPDX-License-Identifier: Apache-2.0
// What a Run holds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/run_report.hpp"
#include "foretask/analysis/run.hpp"
#include "graph/reconstruction/recorded_graph.hpp"
#include "graph/reconstruction/task_facts.hpp"
#include "trace/kernel_file.hpp"

namespace foretask::analysis {

struct Run::Impl {
  Report report;
  TaskGraph graph;
  std::vector<std::int64_t> begin_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint16_t> worker;
  wiring::SpanParts span_parts;
  graph::MessageFacts messages;
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  std::string job;   // empty when unknown
  std::string loss;  // what the recording lacks, in words: dropped events, cut streams; empty: nothing

  // For tables of kernels.
  std::vector<graph::KernelSite> kernels;  // as graph.kernel_names
  std::vector<trace::KernelDefinition> definitions;
  std::vector<std::string> counter_names;
  graph::CounterTable counters;
  graph::ParameterTable parameters;
  std::map<std::uint32_t, graph::KernelSamples> samples;

  // For distributions of times.
  std::vector<std::uint8_t> task_is_cut;  // empty: none
  std::vector<graph::SpeculativeGroup> speculative_groups;

  [[nodiscard]] static const Impl& of(const Run& run) { return *run.impl_; }
  // Null where no line defines it.
  [[nodiscard]] const trace::KernelDefinition* definition(std::uint64_t id) const {
    for (const trace::KernelDefinition& one : definitions)
      if (one.id == id) return &one;
    return nullptr;
  }
};

}  // namespace foretask::analysis
