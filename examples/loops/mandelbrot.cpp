// SPDX-License-Identifier: Apache-2.0
// The area of the Mandelbrot set, row by row, dealt out dynamically: rows through the set cost hundreds of times as
// much as those at its edge.
#include "common.hpp"

namespace {

bool is_inside(double re, double im, long limit) {
  double x = 0;
  double y = 0;
  for (long k = 0; k < limit; ++k) {
    const double xx = x * x;
    const double yy = y * y;
    if (xx + yy > 4) return false;
    y = 2 * x * y + im;
    x = xx - yy + re;
  }
  return true;
}

// Points of row `row` of `n`, of -2 to 0.5 by -1.25 to 1.25, that are in the set.
long count_row(long row, long n, long limit) {
  const double step = 2.5 / static_cast<double>(n);
  const double im = (static_cast<double>(row) - 0.5 * static_cast<double>(n - 1)) * step;
  long count = 0;
  for (long column = 0; column < n; ++column)
    count += is_inside(-2 + (static_cast<double>(column) + 0.5) * step, im, limit);
  return count;
}

// The set is symmetric to the real axis, and its area is 1.5066 (Förstemann 2012: 1.50659); fewer iterations take
// points near it for points of it.
bool is_right(const std::vector<long>& rows, long n, long limit) {
  long all = 0;
  for (long row = 0; row < n; ++row) {
    if (rows[row] != rows[n - 1 - row]) return false;
    all += rows[row];
  }
  const double area = 6.25 * static_cast<double>(all) / (static_cast<double>(n) * static_cast<double>(n));
  return std::abs(area - 1.5066) < 3.0 / static_cast<double>(limit) + 5.0 / static_cast<double>(n);
}

bool run_rows(long n, long limit, examples::Run& run) {
  std::vector<long> rows(n);
#pragma omp parallel num_threads(run.threads)
  {
#pragma omp barrier
#pragma omp master
    run.start();
#pragma omp for schedule(dynamic, 4)
    for (long row = 0; row < n; ++row) rows[row] = count_row(row, n, limit);
  }
  run.stop();
  return is_right(rows, n, limit);
}

}  // namespace

int main(int argc, char** argv) {
  long n = 1000;
  long limit = 500;
  examples::Arguments arguments("mandelbrot", "the area of the Mandelbrot set, rows dealt out dynamically");
  arguments.number("-n", "rows and columns", n, 10, 100'000);
  arguments.number("-m", "iterations after which a point counts as one of the set", limit, 10, 1'000'000);
  arguments.parse(argc, argv);
  return arguments.repeat(n, [&](examples::Run& run) { return run_rows(n, limit, run); });
}
