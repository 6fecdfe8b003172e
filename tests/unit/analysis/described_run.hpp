// SPDX-License-Identifier: Apache-2.0
// Run folders of one program on one machine, with parameters.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "trace/run_file.hpp"
#include "unit/base/temp_folder.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

namespace foretask::test {

using Parameters = std::vector<std::pair<std::string, std::string>>;

inline trace::RunFile described(const Parameters& parameters, std::uint32_t streams) {
  trace::RunFile run;
  run.state = "complete";
  run.program = "/opt/app";
  run.machine.host = "here";
  run.machine.fingerprint = "00ff";
  run.modules = {{.path = "/opt/app", .build_id = "aa"}};
  run.streams = streams;
  run.ticks_per_second = 1e9;
  run.params = parameters;
  return run;
}

inline void write_run(const std::string& folder, TraceBuilder trace, const trace::RunFile& run) {
  std::filesystem::create_directory(folder);
  for (std::uint32_t worker = 0; worker < run.streams; ++worker) {
    const auto bytes = trace.stream(worker).bytes();
    write_content(folder + "/stream_" + std::to_string(worker), {bytes.begin(), bytes.end()});
  }
  write_content(folder + "/run.json", trace::to_json(run));
}

}  // namespace foretask::test
