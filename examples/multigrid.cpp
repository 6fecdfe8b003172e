// SPDX-License-Identifier: Apache-2.0
// Poisson's equation on a square by multigrid: parallel loops over grids from a few points to all of them. On how many
// threads each loop runs foretask decides while the program runs (docs/threads.md).
#include "common.hpp"
#include "foretask/threads.hpp"

namespace {

using Grid = std::vector<double>;

// A grid of side * side points, those on the border 0.
struct Level {
  explicit Level(long its_side)
      : side(its_side),
        values(its_side * its_side),
        wanted(values),
        room(values),
        step2(1.0 / ((side - 1) * (side - 1))) {}

  long side;
  Grid values;
  Grid wanted;  // the right-hand side
  Grid room;
  double step2;  // the square of the distance of two points
};

class Multigrid {
 public:
  Multigrid(long intervals, int max_threads) : max_threads_(max_threads) {
    for (; intervals >= 2; intervals /= 2) levels_.emplace_back(intervals + 1);
  }

  Level& finest() { return levels_.front(); }

  void cycle(std::size_t number = 0) {
    Level& level = levels_[number];
    if (level.side == 3) {
      level.values[4] = level.wanted[4] * level.step2 / 4;
      return;
    }
    smooth(level);
    smooth(level);
    find_residual(level);
    restrict_to(levels_[number + 1], level);
    cycle(number + 1);
    correct(level, levels_[number + 1]);
    smooth(level);
    smooth(level);
  }

 private:
  // Calls body(row) for the inner rows of a grid, on as many threads as are best for a loop of this kernel and size.
  template <typename Body>
  void each_row(const foretask::Kernel& kernel, long side, const Body& body) const {
    const foretask::Threads threads(kernel, max_threads_, side * side);
#pragma omp parallel for num_threads(threads.count())
    for (long row = 1; row < side - 1; ++row) body(row);
  }

  // A step of Jacobi's method, damped by 0.8.
  void smooth(Level& level) const {
    const long side = level.side;
    each_row(smoothing_, side, [&](long row) {
      for (long at = row * side + 1; at < (row + 1) * side - 1; ++at) {
        const Grid& u = level.values;
        const double sides = u[at - 1] + u[at + 1] + u[at - side] + u[at + side];
        level.room[at] = 0.2 * u[at] + 0.2 * (sides + level.step2 * level.wanted[at]);
      }
    });
    level.values.swap(level.room);
  }

  void find_residual(Level& level) const {
    const long side = level.side;
    each_row(residual_, side, [&](long row) {
      for (long at = row * side + 1; at < (row + 1) * side - 1; ++at) {
        const Grid& u = level.values;
        const double sides = u[at - 1] + u[at + 1] + u[at - side] + u[at + side];
        level.room[at] = level.wanted[at] - (4 * u[at] - sides) / level.step2;
      }
    });
  }

  // The residual of the finer grid, weighted over nine points, is what the coarser one is to solve.
  void restrict_to(Level& coarse, const Level& fine) const {
    each_row(restriction_, coarse.side, [&](long row) {
      for (long column = 1; column < coarse.side - 1; ++column) {
        const Grid& r = fine.room;
        const long side = fine.side;
        const long at = 2 * row * side + 2 * column;
        const double sides = r[at - 1] + r[at + 1] + r[at - side] + r[at + side];
        const double corners = r[at - side - 1] + r[at - side + 1] + r[at + side - 1] + r[at + side + 1];
        coarse.wanted[row * coarse.side + column] = r[at] / 4 + sides / 8 + corners / 16;
        coarse.values[row * coarse.side + column] = 0;
      }
    });
  }

  // Adds what the coarser grid has found, bilinear between its points.
  void correct(Level& fine, const Level& coarse) const {
    each_row(correction_, fine.side, [&](long row) {
      const double* const above = &coarse.values[row / 2 * coarse.side];
      const double* const below = &coarse.values[(row + 1) / 2 * coarse.side];
      for (long column = 1; column < fine.side - 1; ++column) {
        const long left = column / 2;
        const long right = (column + 1) / 2;
        fine.values[row * fine.side + column] += (above[left] + above[right] + below[left] + below[right]) / 4;
      }
    });
  }

  int max_threads_;
  std::vector<Level> levels_;
  foretask::Kernel smoothing_{"smooth", {"points", "threads"}};
  foretask::Kernel residual_{"residual", {"points", "threads"}};
  foretask::Kernel restriction_{"restrict", {"points", "threads"}};
  foretask::Kernel correction_{"correct", {"points", "threads"}};
};

// A solution is chosen, and what it solves given to the solver.
bool run_cycles(long intervals, long cycles, examples::Run& run) {
  Multigrid grids(intervals, run.threads);
  Level& level = grids.finest();
  const long side = level.side;
  Grid chosen(side * side);
  for (long row = 1; row < side - 1; ++row)
    for (long column = 1; column < side - 1; ++column) {
      const double x = static_cast<double>(column) / static_cast<double>(intervals);
      const double y = static_cast<double>(row) / static_cast<double>(intervals);
      chosen[row * side + column] =
          x * (1 - x) * y * (1 - y) * (1 + x) + 0.01 * examples::random_unit(1, row * side + column);
    }
  for (long row = 1; row < side - 1; ++row)
    for (long at = row * side + 1; at < (row + 1) * side - 1; ++at)
      level.wanted[at] =
          (4 * chosen[at] - chosen[at - 1] - chosen[at + 1] - chosen[at - side] - chosen[at + side]) / level.step2;
  run.start_ns = examples::now_ns();
  for (long cycle = 0; cycle < cycles; ++cycle) grids.cycle();
  run.stop();
  return examples::nearly_equal(level.values, chosen, 1e-6);
}

}  // namespace

int main(int argc, char** argv) {
  long n = 512;
  long cycles = 20;
  examples::Arguments arguments("multigrid",
                                "Poisson's equation on nested grids, each loop on its own number of threads");
  arguments.number("-n", "intervals a side, a power of two", n, 2, 8192);
  arguments.number("-c", "cycles", cycles, 15, 1'000'000);
  arguments.parse(argc, argv);
  if ((n & (n - 1)) != 0) arguments.fail("-n is no power of two");
  return arguments.repeat(n, [&](examples::Run& run) { return run_cycles(n, cycles, run); });
}
