// SPDX-License-Identifier: Apache-2.0
// How far out in its parts a program looks.
#pragma once

#include <vector>

#include "distribution/expression/program.hpp"

namespace foretask::distribution {

// Sets the uses and reaches of all steps, from the answer down. O(steps and parts).
void set_reaches(Program& program);

// At most how likely the answer depends on the largest values of leaves that have the probabilities `shares`, one a
// step. O(steps and parts).
[[nodiscard]] double share_of_answer(const Program& program, const std::vector<double>& shares);

}  // namespace foretask::distribution
