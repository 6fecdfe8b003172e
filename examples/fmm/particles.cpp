// SPDX-License-Identifier: Apache-2.0
#include "fmm/particles.hpp"

#include <cmath>
#include <numbers>

#include "common.hpp"

namespace fmm {
namespace {

constexpr double kFullTurn = 2 * std::numbers::pi;
constexpr std::uint64_t kClusterCount = 12;

struct Point {
  double x;
  double y;
};

// The square is a torus for those that fall out of it.
double wrapped(double coordinate) {
  const double inside = coordinate - std::floor(coordinate);
  return inside < 1 ? inside : 0;
}

// Its density falls with the 4/3rd power of the distance from the centre, which is one of a few and chosen unevenly.
Point clustered(std::uint64_t seed, double choice, double first, double second) {
  const auto cluster = static_cast<std::uint64_t>(choice * choice * static_cast<double>(kClusterCount));
  const double radius = 0.15 * first * std::sqrt(first);
  const double angle = kFullTurn * second;
  return {wrapped(examples::random_unit(seed + 1, 2 * cluster) + radius * std::cos(angle)),
          wrapped(examples::random_unit(seed + 1, 2 * cluster + 1) + radius * std::sin(angle))};
}

Point place(Distribution distribution, std::uint64_t seed, double choice, double first, double second) {
  switch (distribution) {
    case kEllipse:
      return {0.5 + 0.48 * std::cos(kFullTurn * first), 0.5 + 0.2 * std::sin(kFullTurn * first)};
    case kCircle: {
      const double turn = (2 * first - 1) * std::abs(2 * first - 1) / 2;
      return {0.5 + 0.4 * std::cos(kFullTurn * turn), 0.5 + 0.4 * std::sin(kFullTurn * turn)};
    }
    case kClusters:
      return clustered(seed, choice, first, second);
    default:
      return {first, second};
  }
}

}  // namespace

Particles make_particles(Distribution distribution, std::size_t count, std::uint64_t seed) {
  Particles particles(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto draw = [&](std::uint64_t which) { return examples::random_unit(seed, 4 * i + which); };
    const Point point = place(distribution, seed, draw(0), draw(1), draw(2));
    particles.x[i] = point.x;
    particles.y[i] = point.y;
    particles.charge[i] = 2 * draw(3) - 1;
  }
  return particles;
}

}  // namespace fmm
