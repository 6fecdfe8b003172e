// SPDX-License-Identifier: Apache-2.0
// A quadtree over the unit square that has only the cells with particles in them, in groups: a group is a run of cells
// of one level in Morton order (Agullo et al., Task-based FMM for multicore architectures, 2014). Read by all threads
// once it is built; a task writes only into the expansions of one group, or into the potentials of one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fmm/laplace.hpp"
#include "fmm/particles.hpp"

namespace fmm {

// A run of cells, or of particles: from `begin` to before `end`.
struct Range {
  int begin;
  int end;

  [[nodiscard]] int size() const { return end - begin; }
  [[nodiscard]] bool contains(int i) const { return begin <= i && i < end; }
};

inline Range common_part(Range a, Range b) {
  const int begin = a.begin > b.begin ? a.begin : b.begin;
  const int end = a.end < b.end ? a.end : b.end;
  return {begin, end > begin ? end : begin};
}

// One level's cells in Morton order, and their expansions.
class Level {
 public:
  // `codes`: the cells' Morton codes, ascending, each once.
  Level(int depth, int group_size, std::size_t expansion_size, std::vector<std::uint64_t> codes);

  [[nodiscard]] int depth() const { return depth_; }
  [[nodiscard]] int cells() const { return static_cast<int>(codes_.size()); }
  [[nodiscard]] int groups() const { return (cells() + group_size_ - 1) / group_size_; }
  [[nodiscard]] int group_of(int cell) const { return cell / group_size_; }
  [[nodiscard]] Range group(int index) const {
    return common_part({index * group_size_, (index + 1) * group_size_}, {0, cells()});
  }
  // How many cells' places lie from the first to the last of the range.
  [[nodiscard]] double interval(Range range) const {
    return static_cast<double>(codes_[range.end - 1] - codes_[range.begin] + 1);
  }

  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] Box box(int cell) const { return {(x_[cell] + 0.5) * width_, (y_[cell] + 0.5) * width_, width_}; }
  [[nodiscard]] int x(int cell) const { return x_[cell]; }
  [[nodiscard]] int y(int cell) const { return y_[cell]; }
  // Which of its parent's children: as Laplace's corner.
  [[nodiscard]] int corner(int cell) const { return static_cast<int>(codes_[cell] % 4); }
  [[nodiscard]] int parent(int cell) const { return parents_[cell]; }
  // Cells of the level below; particles on the lowest.
  [[nodiscard]] Range children(int cell) const { return {first_child_[cell], first_child_[cell + 1]}; }
  [[nodiscard]] Range children(Range cells) const { return {first_child_[cells.begin], first_child_[cells.end]}; }
  // The cell itself and the up to eight ones around it, ascending.
  [[nodiscard]] std::vector<int>::const_iterator neighbours_begin(int cell) const {
    return neighbours_.begin() + first_neighbour_[cell];
  }
  [[nodiscard]] std::vector<int>::const_iterator neighbours_end(int cell) const {
    return neighbours_.begin() + first_neighbour_[cell + 1];
  }

  [[nodiscard]] Expansion multipole(int cell) { return multipoles_.data() + cell * expansion_size_; }
  [[nodiscard]] Expansion local(int cell) { return locals_.data() + cell * expansion_size_; }

 private:
  friend class GroupTree;

  void find_neighbours();

  int depth_;
  int group_size_;
  double width_;
  std::size_t expansion_size_;
  std::vector<std::uint64_t> codes_;
  std::vector<int> x_, y_;  // in widths
  std::vector<int> parents_;
  std::vector<int> first_child_;
  std::vector<int> first_neighbour_;
  std::vector<int> neighbours_;
  std::vector<double> multipoles_;
  std::vector<double> locals_;
};

class GroupTree {
 public:
  static constexpr int kTop = 2;  // the uppermost level that has far cells
  static constexpr int kMaxHeight = 20;

  // Leaves are on level `height`. The particles are put into the leaves' order.
  GroupTree(Particles& particles, int height, int group_size, std::size_t expansion_size);

  [[nodiscard]] int height() const { return static_cast<int>(levels_.size()) - 1; }
  [[nodiscard]] Level& level(int depth) { return levels_[depth]; }
  [[nodiscard]] const Level& level(int depth) const { return levels_[depth]; }
  [[nodiscard]] Level& leaves() { return levels_.back(); }
  [[nodiscard]] const Level& leaves() const { return levels_.back(); }

 private:
  std::vector<Level> levels_;
};

}  // namespace fmm
