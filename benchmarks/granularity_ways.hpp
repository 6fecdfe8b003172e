// SPDX-License-Identifier: Apache-2.0
// Who decides which parts of the recursive programs become tasks: foretask, or a cut-off by size.
#pragma once

#include "foretask/granularity.hpp"

namespace foretask::benchmarks {

// Of the program that this process runs.
inline const foretask::Kernel* kernel = nullptr;
inline double cut_off = 0;

struct SubtreeNode {
  static constexpr bool kIsCutOff = false;
  SubtreeNode(SubtreeNode* parent, double size) : self(*kernel, parent ? &parent->self : nullptr, size) {}
  bool spawn() { return self.spawn(); }
  bool spawn(double part) { return self.spawn(part); }
  [[nodiscard]] bool is_small() const { return self.is_small(); }
  bool spawned() { return self.spawned(); }

  foretask::Subtree self;
};

// Tasks above a size that the benchmark is told.
struct CutOffNode {
  static constexpr bool kIsCutOff = true;
  CutOffNode(CutOffNode*, double its_size) : size(its_size) {}
  bool spawn() { return spawn(size); }
  bool spawn(double part) { return has_spawned |= part > cut_off, part > cut_off; }
  [[nodiscard]] bool is_small() const { return size <= cut_off; }
  [[nodiscard]] bool spawned() const { return has_spawned; }

  double size;
  bool has_spawned = false;
};

template <typename Work>
double in_team(const Work& work) {
  double result = 0;
#pragma omp parallel
#pragma omp single
  result = work();
  return result;
}

}  // namespace foretask::benchmarks
