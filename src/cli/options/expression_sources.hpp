// SPDX-License-Identifier: Apache-2.0
// Where the leaves of an expression of distributions come from: files and recordings. One thread.
#pragma once

#include <map>
#include <string>

#include "foretask/analysis/distribution_text.hpp"
#include "foretask/analysis/run.hpp"
#include "foretask/result.hpp"

namespace foretask::cli {

class ExpressionSources {
 public:
  // PATH or PATH:COLUMN; a file whose name holds a colon comes first. In the file's own unit. Its warnings are said.
  [[nodiscard]] static Result<analysis::MeasuredTimes> file(const std::string& text);

  // RUN/NAME, RUN the longest part that is a folder: the kernel's tasks, in seconds. Each run is opened once, its
  // warnings are said.
  [[nodiscard]] Result<analysis::MeasuredTimes> kernel(const std::string& text);

  [[nodiscard]] bool has_recorded_times() const { return !runs_.empty(); }

  // Of this object, which has to stay.
  [[nodiscard]] analysis::DistributionSources callables();

 private:
  std::map<std::string, analysis::Run> runs_;
};

}  // namespace foretask::cli
