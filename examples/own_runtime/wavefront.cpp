// SPDX-License-Identifier: Apache-2.0
// A wavefront on a thread pool of one's own: tile (i, j) of an n x n grid comes after the tiles above and on its left.
// Asks, for each tile, how long it will take.
//
//   bin/own_runtime_wavefront [WORKERS [N [ROUNDS]]]    default 2, 10, 4
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "pool.hpp"

namespace {

// Some n/4 us of it.
double spin(int n) {
  double value = 1;
  for (int i = 0; i < 64 * n; ++i) value = value * 1.0000001 + 1e-9;
  return value;
}

int number(int argc, char** argv, int index, int otherwise) {
  return argc > index && std::atoi(argv[index]) > 0 ? std::atoi(argv[index]) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const auto workers = static_cast<unsigned>(number(argc, argv, 1, 2));
  const int n = number(argc, argv, 2, 10);
  const int rounds = number(argc, argv, 3, 4);
  const foretask::Kernel tile("tile", {"n"});
  examples::HookedPool pool(workers);
  int predicted = 0;
  bool ok = true;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> values(static_cast<std::size_t>(n * n));
    std::vector<examples::HookedPool::Job*> jobs(values.size());
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const auto at = static_cast<std::size_t>(i * n + j);
        const int size = 100 + 40 * ((i + j) % 8);
        if (tile.predict(size)) ++predicted;
        const auto body = [&values, at, size] { values[at] = spin(size); };
        if (i > 0 && j > 0)
          jobs[at] = pool.submit(tile, size, {jobs[at - static_cast<std::size_t>(n)], jobs[at - 1]}, body);
        else if (i > 0 || j > 0)
          jobs[at] = pool.submit(tile, size, {jobs[i > 0 ? at - static_cast<std::size_t>(n) : at - 1]}, body);
        else
          jobs[at] = pool.submit(tile, size, {}, body);
      }
    pool.wait();
    for (const double value : values) ok = ok && value > 1;
  }
  std::printf("wavefront n=%d workers=%u: %d of %d tiles predicted, %s\n", n, workers, predicted, rounds * n * n,
              ok ? "ok" : "WRONG");
  return ok ? 0 : 1;
}
