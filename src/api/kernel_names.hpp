// SPDX-License-Identifier: Apache-2.0
// Names for a recording's kernels, from the modules that were mapped while it ran.
#pragma once

#include <string>
#include <vector>

#include "graph/recorded_graph.hpp"
#include "trace/run_file.hpp"

namespace foretask::api {

// One name a kernel, all different. What of the modules could not be read is added to `warnings`, in words.
[[nodiscard]] std::vector<std::string> kernel_names(const std::vector<graph::KernelSite>& kernels,
                                                    const trace::RunFile& run, std::vector<std::string>& warnings);

}  // namespace foretask::api
