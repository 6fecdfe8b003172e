// SPDX-License-Identifier: Apache-2.0
// Writers of what `foretask model evaluate` found.
#pragma once

#include <string>

#include "foretask/analysis/evaluate.hpp"

namespace foretask::report {

// What was evaluated, for people.
struct EvaluatedFile {
  std::string path;
  std::string target;
  std::string parameter;
};

// A table, the method with the smallest error first, and a line that reads it.
[[nodiscard]] std::string evaluation_text(const EvaluatedFile& file, const analysis::Evaluation& evaluation);

// One JSON object; the keys are in docs/command_line.md.
[[nodiscard]] std::string evaluation_json(const analysis::Evaluation& evaluation);

}  // namespace foretask::report
