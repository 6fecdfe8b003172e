// SPDX-License-Identifier: Apache-2.0
#include "fmm/group_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace fmm {
namespace {

// Bits of x and y in turn, x's first.
std::uint64_t morton_code(std::uint64_t x, std::uint64_t y, int bits) {
  std::uint64_t code = 0;
  for (int bit = 0; bit < bits; ++bit) code |= (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1);
  return code;
}

int every_second_bit(std::uint64_t code) {
  int value = 0;
  for (int bit = 0; 2 * bit < 64; ++bit) value |= static_cast<int>(code >> (2 * bit) & 1) << bit;
  return value;
}

void reorder(std::vector<double>& values, const std::vector<int>& order) {
  std::vector<double> moved(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) moved[i] = values[order[i]];
  values = std::move(moved);
}

// Puts the particles into the order of their leaves, and returns the leaf of each.
std::vector<std::uint64_t> sort_by_leaf(Particles& particles, int height) {
  const double cells = std::ldexp(1.0, height);
  std::vector<std::uint64_t> codes(particles.size());
  for (std::size_t i = 0; i < particles.size(); ++i)
    codes[i] = morton_code(static_cast<std::uint64_t>(particles.x[i] * cells),
                           static_cast<std::uint64_t>(particles.y[i] * cells), height);
  std::vector<int> order(particles.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return codes[a] < codes[b]; });
  reorder(particles.x, order);
  reorder(particles.y, order);
  reorder(particles.charge, order);
  std::sort(codes.begin(), codes.end());
  return codes;
}

// The first of each run of equal codes, and the end.
std::vector<int> run_starts(const std::vector<std::uint64_t>& codes) {
  std::vector<int> starts;
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (i == 0 || codes[i] != codes[i - 1]) starts.push_back(static_cast<int>(i));
  starts.push_back(static_cast<int>(codes.size()));
  return starts;
}

}  // namespace

Level::Level(int depth, int group_size, std::size_t expansion_size, std::vector<std::uint64_t> codes)
    : depth_(depth),
      group_size_(group_size),
      width_(std::ldexp(1.0, -depth)),
      expansion_size_(expansion_size),
      codes_(std::move(codes)),
      x_(codes_.size()),
      y_(codes_.size()),
      parents_(codes_.size()),
      multipoles_(codes_.size() * expansion_size),
      locals_(codes_.size() * expansion_size) {
  for (std::size_t cell = 0; cell < codes_.size(); ++cell) {
    x_[cell] = every_second_bit(codes_[cell]);
    y_[cell] = every_second_bit(codes_[cell] >> 1);
  }
  find_neighbours();
}

void Level::find_neighbours() {
  const int last = (1 << depth_) - 1;
  for (int cell = 0; cell < cells(); ++cell) {
    first_neighbour_.push_back(static_cast<int>(neighbours_.size()));
    for (int y = std::max(y_[cell] - 1, 0); y <= std::min(y_[cell] + 1, last); ++y)
      for (int x = std::max(x_[cell] - 1, 0); x <= std::min(x_[cell] + 1, last); ++x) {
        const std::uint64_t code = morton_code(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y), depth_);
        const auto found = std::lower_bound(codes_.begin(), codes_.end(), code);
        if (found != codes_.end() && *found == code) neighbours_.push_back(static_cast<int>(found - codes_.begin()));
      }
    std::sort(neighbours_.begin() + first_neighbour_.back(), neighbours_.end());
  }
  first_neighbour_.push_back(static_cast<int>(neighbours_.size()));
}

GroupTree::GroupTree(Particles& particles, int height, int group_size, std::size_t expansion_size) {
  std::vector<std::uint64_t> codes = sort_by_leaf(particles, height);
  for (int depth = height; depth >= 0; --depth) {
    std::vector<int> first_child = run_starts(codes);
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    Level& level = levels_.emplace_back(depth, group_size, expansion_size, codes);
    level.first_child_ = std::move(first_child);
    if (depth < height) {
      Level& below = levels_[levels_.size() - 2];
      for (int cell = 0; cell < level.cells(); ++cell)
        for (int child = level.children(cell).begin; child < level.children(cell).end; ++child)
          below.parents_[child] = cell;
    }
    for (std::uint64_t& code : codes) code /= 4;
  }
  std::reverse(levels_.begin(), levels_.end());
}

}  // namespace fmm
