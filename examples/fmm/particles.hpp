// SPDX-License-Identifier: Apache-2.0
// Charged points of the unit square, in the distributions that make a tree's cells regular or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fmm {

// Where the particles are: all over the square; on an ellipse; on a circle, more of them on its right; in clusters
// whose density falls with a power of the distance.
enum Distribution : long { kUniform, kEllipse, kCircle, kClusters };

struct Particles {
  std::vector<double> x;  // from 0 to below 1
  std::vector<double> y;
  std::vector<double> charge;     // from -1 to below 1
  std::vector<double> potential;  // sum over the others of charge * log(distance)

  explicit Particles(std::size_t count) : x(count), y(count), charge(count), potential(count) {}
  [[nodiscard]] std::size_t size() const { return x.size(); }
};

// The same ones for the same arguments, on any machine with IEEE arithmetic and a like libm.
Particles make_particles(Distribution distribution, std::size_t count, std::uint64_t seed);

}  // namespace fmm
