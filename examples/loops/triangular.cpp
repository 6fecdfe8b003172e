// SPDX-License-Identifier: Apache-2.0
// A lower triangular matrix times a vector: iteration i costs i, so that equal blocks of iterations are unequal work.
#include "common.hpp"

namespace {

// Row i is 1, 2, ..., i + 1, over i + 1: times ones that is (i + 2) / 2.
void multiply(const std::vector<double>& x, std::vector<double>& y, long n) {
#pragma omp for schedule(runtime)
  for (long i = 0; i < n; ++i) {
    double sum = 0;
    for (long j = 0; j <= i; ++j) sum += static_cast<double>(j + 1) * x[j];
    y[i] = sum / static_cast<double>(i + 1);
  }
}

bool run_products(long n, long products, examples::Run& run) {
  const std::vector<double> ones(n, 1.0);
  std::vector<double> result(n);
  std::vector<double> expected(n);
  for (long i = 0; i < n; ++i) expected[i] = 0.5 * static_cast<double>(i + 2);
#pragma omp parallel num_threads(run.threads)
  {
#pragma omp barrier
#pragma omp master
    run.start();
    for (long product = 0; product < products; ++product) multiply(ones, result, n);
  }
  run.stop();
  return examples::nearly_equal(result, expected, 1e-10);
}

}  // namespace

int main(int argc, char** argv) {
  long n = 10'000;
  long products = 10;
  examples::Arguments arguments("triangular",
                                "a triangular matrix times a vector; OMP_SCHEDULE is the loop's schedule");
  arguments.number("-n", "rows", n, 1, 1'000'000);
  arguments.number("-s", "products", products, 1, 1'000'000);
  arguments.parse(argc, argv);
  return arguments.repeat(n, [&](examples::Run& run) { return run_products(n, products, run); });
}
