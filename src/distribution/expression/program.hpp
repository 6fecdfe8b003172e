// SPDX-License-Identifier: Apache-2.0
// An expression as a list of steps, each after those that it needs: nested sums, extremes and branches made flat,
// constants moved together, equal parts found and counted. Made once, evaluated many times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "distribution/expression/node.hpp"

namespace foretask::distribution {

struct Part {
  std::size_t step = 0;
  std::uint64_t count = 1;  // of equal, independent ones; at most 9e18
  double share = 0;         // of a branch
};

// What its kind means: sequence: all parts and `shift`. branch: its parts' shares. random_loop: part 1, part 0 times.
// order: rank-th of n of part 0. all_of, first_of: all parts. Leaves have a node; a constant is its `shift` alone.
struct Step {
  NodeKind kind{};
  double shift = 0;
  std::uint64_t rank = 0;
  std::uint64_t n = 0;
  std::vector<Part> parts{};
  std::shared_ptr<const analysis::Distribution::Node> leaf{};
  std::size_t uses = 0;    // by later steps
  double lower_reach = 1;  // how many values of it the minima and the maxima above it see
  double upper_reach = 1;
};

struct Program {
  std::vector<Step> steps;  // the last is the answer
  std::size_t sums = 0;     // about as many tables are worked out
};

// O(nodes). Independent of the expression's depth.
[[nodiscard]] Program program_of(const analysis::Distribution& distribution);

// At most how likely the answer depends on the largest values of leaves that have the probabilities `shares`, one a
// step. O(steps and parts).
[[nodiscard]] double share_of_answer(const Program& program, const std::vector<double>& shares);

}  // namespace foretask::distribution
