// SPDX-License-Identifier: Apache-2.0
// The lines of a table below tests/golden/distribution, without its comments.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

inline std::vector<std::istringstream> golden_lines(const std::string& name) {
  std::ifstream file(FORETASK_TESTS_DIR "/golden/distribution/" + name);
  std::vector<std::istringstream> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') lines.emplace_back(line);
  return lines;
}
