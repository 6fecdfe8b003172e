// SPDX-License-Identifier: Apache-2.0
#include "model/store/program_row.hpp"

#include <cmath>

#include "base/number_text.hpp"

namespace foretask::model {

bool is_size(double value) { return std::isfinite(value) && value > 0; }

ProgramInput program_input(const InputNumbers& numbers, const std::string& known_size) {
  auto size = numbers.find("n");
  if (size == numbers.end() && numbers.size() == 1) size = numbers.begin();
  if (size == numbers.end()) size = numbers.find(known_size);
  if (size == numbers.end() || !is_size(size->second)) return {other_inputs(numbers, ""), 0};
  return {other_inputs(numbers, size->first), size->second};
}

std::string other_inputs(const InputNumbers& numbers, const std::string& size) {
  std::string text;
  for (const auto& [name, value] : numbers) {
    if (name == size) continue;
    text += (text.empty() ? "" : " ") + name + "=" + base::number_text(value, 17);
  }
  return text;
}

}  // namespace foretask::model
