// SPDX-License-Identifier: Apache-2.0
// What the numbers that a user gave a run say of its input: which one is its size n, and what the others are called in
// the store. The same rule for recordings and for runs that are followed: they find each other by it. Pure.
#pragma once

#include <map>
#include <string>

namespace foretask::model {

using InputNumbers = std::map<std::string, double>;

// Above 0, and finite.
[[nodiscard]] bool is_size(double value);

struct ProgramInput {
  std::string others;  // as ProgramRow::inputs
  double n = 0;        // 0: none of them is the size
};

// "n" is the size, or the only number whatever its name, or `known_size`, which an earlier table of the program calls n
// (empty: none does). A number that is_size() does not take is one of the others.
[[nodiscard]] ProgramInput program_input(const InputNumbers& numbers, const std::string& known_size);

// All but the one called `size`, in the order of their names: "b=16 c=2".
[[nodiscard]] std::string other_inputs(const InputNumbers& numbers, const std::string& size);

}  // namespace foretask::model
