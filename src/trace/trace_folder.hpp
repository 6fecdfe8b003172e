// SPDX-License-Identifier: Apache-2.0
// A run folder as it was found: its description, one reader a stream, and in words what is missing or damaged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/result.hpp"
#include "trace/kernel_file.hpp"
#include "trace/run_file.hpp"
#include "trace/stream_reader.hpp"

namespace foretask::trace {

struct TraceFolder {
  RunFile run;
  std::vector<StreamReader> streams;      // index = the stream's number; a missing one reads as empty
  std::vector<KernelDefinition> kernels;  // that the program defined
  std::vector<std::string> warnings;

  // Null where no line defines it.
  [[nodiscard]] const KernelDefinition* kernel(std::uint64_t id) const noexcept;
  // "(kernel 7)" where no line defines it.
  [[nodiscard]] std::string kernel_name(std::uint64_t id) const;
  // The names of its parameters; none where no line defines it.
  [[nodiscard]] std::vector<std::string> parameters_of(std::uint64_t id) const;
};

// Opens `folder`. A missing or broken run.json is a warning while metadata is there (its clock is used); another format
// version, or a folder with neither, is an error.
[[nodiscard]] Result<TraceFolder> open_trace_folder(const std::string& folder);

// Whether `path` is a folder with run.json or metadata in it.
[[nodiscard]] bool is_trace_folder(const std::string& path);

}  // namespace foretask::trace
