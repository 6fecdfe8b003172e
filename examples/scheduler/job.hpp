// SPDX-License-Identifier: Apache-2.0
// A job that foretask learns from.
#pragma once

#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "comparison.hpp"
#include "foretask/foretask.hpp"
#include "sleep.hpp"

namespace examples {

inline const foretask::Kernel smooth("smooth", {"rows", "columns"});
inline bool jobs_sleep = false;

// The program's argument. More workers than processors are possible, because then jobs sleep.
inline int workers_of(int argc, char** argv) {
  const int workers = argc > 1 ? std::max(1, std::atoi(argv[1])) : 2;
  jobs_sleep = workers > static_cast<int>(std::thread::hardware_concurrency());
  wake_on_time();
  return workers;
}

struct Job {
  double rows = 0;
  double columns = 0;
  double predicted_ns = 0;  // 0: unknown
  double took_ns = 0;
  double result = 0;

  // Some ms of work, with a lognormal distribution.
  static Job draw(std::mt19937& random) {
    std::lognormal_distribution<double> size(6.5, 0.9);
    const double rows = std::ceil(size(random));
    return {rows, std::ceil(size(random))};
  }

  [[nodiscard]] double time_ns(Order order) const {
    return order == kPredicted ? predicted_ns : order == kTrue ? took_ns : 0;
  }

  void run() {
    const std::int64_t begin_ns = now_ns();
    {
      const auto task = smooth.scope(rows, columns);  // times the block
      result = jobs_sleep ? sleep() : compute();
    }
    took_ns = static_cast<double>(now_ns() - begin_ns);
  }

 private:
  double compute() const {
    std::vector<double> x(static_cast<std::size_t>(columns), 1.0);
    double sum = 0;
    for (int row = 0; row < rows; ++row)
      for (double& value : x) sum += value = value * 0.999 + 1e-3 * row;
    return sum;
  }
  double sleep() const {
    sleep_until(now_ns() + std::llround(2 * rows * columns));
    return rows * columns;
  }
};

}  // namespace examples
