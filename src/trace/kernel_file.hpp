// SPDX-License-Identifier: Apache-2.0
// .kernels.jsonl in a run folder: the kernels that the program defined, a line each, written when it is defined.
// Hidden, since readers of CTF take every other file for a stream.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::trace {

inline constexpr const char* kKernelFile = ".kernels.jsonl";

struct KernelDefinition {
  std::uint32_t id = 0;
  std::string name;
  std::vector<std::string> parameters;
};

// One line, its end included. What is not UTF-8 in a name is replaced.
[[nodiscard]] std::string kernel_line(const KernelDefinition& definition);

// A missing file has no kernels. Lines that make no sense, such as a last one that was cut short, are left out and
// counted in `skipped`; of two with one number the first counts.
[[nodiscard]] std::vector<KernelDefinition> read_kernel_file(const std::string& path, std::size_t& skipped);

}  // namespace foretask::trace
