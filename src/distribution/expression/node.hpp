// SPDX-License-Identifier: Apache-2.0
// What an expression is made of. Built by distribution.cpp and expression_text.cpp, worked out by program.cpp and
// evaluate.cpp. An expression may be as deep as it is large: nothing here or there is recursive.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "distribution/family/empirical.hpp"
#include "distribution/family/known_family.hpp"
#include "foretask/analysis/distribution.hpp"

namespace foretask::distribution {

enum class NodeKind : std::uint8_t {
  // Leaves.
  constant,  // a
  family,    // of a, b (known_family.hpp)
  samples,
  moments,
  lambda,
  mixture,
  // Compositions.
  sequence,     // of all children
  branch,       // one child, with the probability beside it
  loop,         // child 0, n times
  random_loop,  // child 1, as many times as child 0 says
  order,        // the rank-th of n of child 0
  all_of,       // the last of the children
  first_of
};

}  // namespace foretask::distribution

namespace foretask::analysis {

struct Distribution::Node {
  distribution::NodeKind kind{};
  distribution::Family family{};
  double a = 0;
  double b = 0;
  std::uint64_t rank = 0;
  std::uint64_t n = 0;
  Moments moments{};
  GeneralizedLambda lambda{};
  GaussianMixture mixture{};
  std::shared_ptr<const distribution::SampleData> samples{};
  std::vector<double> probabilities{};
  mutable std::vector<std::shared_ptr<const Node>> children{};  // emptied by the destructor of the last parent
  mutable std::shared_ptr<const Node> next_doomed{};            // of that destructor, which allocates nothing

  explicit Node(distribution::NodeKind its) noexcept : kind(its) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();  // of a chain of any length, without recursion
};

}  // namespace foretask::analysis
