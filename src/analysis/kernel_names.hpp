// SPDX-License-Identifier: Apache-2.0
// Names for a recording's kernels, from the modules that were mapped while it ran.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "graph/reconstruction/recorded_graph.hpp"
#include "symbols/symbols.hpp"
#include "trace/trace_folder.hpp"

namespace foretask::wiring {

struct CodeNames {
  std::vector<std::string> kernels;  // all different: those that the program gave, else functions
  std::vector<std::string> files;    // by kernel: KernelSummary::source_file
  std::vector<std::string> codes;    // by kernel: KernelSummary::code
  std::vector<std::vector<analysis::FunctionTime>> functions;  // by kernel: where its threads were seen
  bool asks_in_parallel = false;                               // code with kernels calls omp_in_parallel
};

// What of the modules could not be read is added to `warnings`, in words. Linear in the sampled addresses.
[[nodiscard]] CodeNames code_names(const graph::RecordedGraph& graph, const trace::TraceFolder& trace,
                                   std::vector<std::string>& warnings);

// The parameters of one that the program named; none of the others.
[[nodiscard]] std::vector<std::string> parameters_of(const graph::KernelSite& kernel, const trace::TraceFolder& trace);

// Kernels with parameters that hooks have called after their code, as "module+0xoffset": what is created at that code
// are their tasks. The code's address, and the kernel's number; several addresses where a file was mapped several
// times.
[[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint32_t>> named_codes(const trace::TraceFolder& trace);

}  // namespace foretask::wiring
