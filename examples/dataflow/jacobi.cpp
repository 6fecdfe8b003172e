// SPDX-License-Identifier: Apache-2.0
// Jacobi iteration on a square grid in tiles. Each tile gets the borders of its neighbours into buffers of its own
// (getfirstrow, getlastrow, getfirstcol, getlastcol), then takes its step (jacobi). The buffers are used again in every
// iteration: with them renamed (--rename) more can run at once.
#include "dataflow/tasks.hpp"
#include "dataflow/tiles.hpp"

namespace {

constexpr std::uint64_t kSeed = 27;

double element(long i, long j, long order) {
  return examples::random_unit(kSeed, static_cast<std::uint64_t>(i * order + j));
}

// Four borders a tile, b numbers each. Around the grid all is 0.
class Borders {
 public:
  enum Side { kTop, kBottom, kLeft, kRight };

  Borders(long count, long b) : count_(count), b_(b), numbers_(static_cast<std::size_t>(4 * count * count * b)) {}
  [[nodiscard]] double* at(long row, long column, Side side) {
    return numbers_.data() + ((row * count_ + column) * 4 + side) * b_;
  }

 private:
  long count_;
  long b_;
  std::vector<double> numbers_;
};

void copy_row(const double* tile, double* border, long row, long b) {
  for (long j = 0; j < b; ++j) border[j] = tile[j * b + row];
}

void copy_column(const double* tile, double* border, long column, long b) {
  for (long i = 0; i < b; ++i) border[i] = tile[column * b + i];
}

struct Neighbours {
  const double* top;
  const double* bottom;
  const double* left;
  const double* right;
};

void step(const double* __restrict old, const Neighbours& around, double* __restrict fresh, long b) {
  for (long j = 0; j < b; ++j)
    for (long i = 0; i < b; ++i) {
      const double above = i == 0 ? around.top[j] : old[j * b + i - 1];
      const double below = i == b - 1 ? around.bottom[j] : old[j * b + i + 1];
      const double before = j == 0 ? around.left[i] : old[(j - 1) * b + i];
      const double after = j == b - 1 ? around.right[i] : old[(j + 1) * b + i];
      fresh[j * b + i] = 0.25 * (((above + below) + before) + after);
    }
}

struct Kernels {
  examples::Kernel first_row{"getfirstrow"}, last_row{"getlastrow"}, first_column{"getfirstcol"},
      last_column{"getlastcol"}, jacobi{"jacobi"};
};

// What tile (i, j) sees of its neighbours.
void get_borders(const Kernels& kernels, examples::Tiles& old, Borders& borders, long i, long j) {
  const long b = old.tile_size();
  const long last = old.count() - 1;
  const std::size_t size = old.tile_numbers();
  const auto width = static_cast<std::size_t>(b);
  const auto get = [&](const examples::Kernel& kernel, const double* tile, Borders::Side side, auto copy, long which) {
    double* const border = borders.at(i, j, side);
    examples::task(kernel, {examples::in(tile, size), examples::out(border, width)},
                   [=] { copy(tile, border, which, b); });
  };
  if (i > 0) get(kernels.last_row, old.tile(i - 1, j), Borders::kTop, copy_row, b - 1);
  if (i < last) get(kernels.first_row, old.tile(i + 1, j), Borders::kBottom, copy_row, 0);
  if (j > 0) get(kernels.last_column, old.tile(i, j - 1), Borders::kLeft, copy_column, b - 1);
  if (j < last) get(kernels.first_column, old.tile(i, j + 1), Borders::kRight, copy_column, 0);
}

void create_tasks(examples::Tiles& first, examples::Tiles& second, Borders& borders, long iterations) {
  const Kernels kernels;
  const long b = first.tile_size();
  const std::size_t size = first.tile_numbers();
  const auto width = static_cast<std::size_t>(b);
  using examples::in, examples::out;
  for (long iteration = 0; iteration < iterations; ++iteration) {
    examples::Tiles& old = iteration % 2 == 0 ? first : second;
    examples::Tiles& fresh = iteration % 2 == 0 ? second : first;
    for (long i = 0; i < old.count(); ++i)
      for (long j = 0; j < old.count(); ++j) {
        get_borders(kernels, old, borders, i, j);
        const double* const from = old.tile(i, j);
        double* const to = fresh.tile(i, j);
        const Neighbours around{borders.at(i, j, Borders::kTop), borders.at(i, j, Borders::kBottom),
                                borders.at(i, j, Borders::kLeft), borders.at(i, j, Borders::kRight)};
        examples::task(kernels.jacobi,
                       {in(from, size), in(around.top, width), in(around.bottom, width), in(around.left, width),
                        in(around.right, width), out(to, size)},
                       [=] { step(from, around, to, b); });
      }
  }
}

// The same iteration on a plain grid with a rim of zeros.
bool is_right(examples::Tiles& result, long iterations) {
  const long n = result.order();
  const long width = n + 2;
  std::vector<double> old(static_cast<std::size_t>(width * width)), fresh(old);
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j) old[(i + 1) * width + j + 1] = element(i, j, n);
  for (long iteration = 0; iteration < iterations; ++iteration) {
    for (long i = 1; i <= n; ++i)
      for (long j = 1; j <= n; ++j)
        fresh[i * width + j] =
            0.25 *
            (((old[(i - 1) * width + j] + old[(i + 1) * width + j]) + old[i * width + j - 1]) + old[i * width + j + 1]);
    old.swap(fresh);
  }
  std::vector<double> values, expected;
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j) {
      values.push_back(result.at(i, j));
      expected.push_back(old[(i + 1) * width + j + 1]);
    }
  return examples::nearly_equal(values, expected, 1e-14);
}

}  // namespace

int main(int argc, char** argv) {
  long n = 1024;
  long b = 128;
  long iterations = 10;
  examples::Arguments arguments("dataflow_jacobi", "Jacobi iteration on an n x n grid");
  arguments.number("-n", "rows of the grid, a multiple of the tile size", n, 1, 65536);
  arguments.number("-b", "rows of a tile", b, 1, 4096);
  arguments.number("-s", "iterations", iterations, 1, 100'000);
  arguments.parse(argc, argv);
  if (n % b != 0) arguments.fail("-n must be a multiple of -b");
  return arguments.repeat(n, [&](examples::Run& run) {
    examples::Tiles first(n, b), second(n, b);
    Borders borders(first.count(), b);
    for (long i = 0; i < n; ++i)
      for (long j = 0; j < n; ++j) first.at(i, j) = element(i, j, n);
    examples::run_tasks(run, [&] { create_tasks(first, second, borders, iterations); });
    return is_right(iterations % 2 == 0 ? first : second, iterations);
  });
}
