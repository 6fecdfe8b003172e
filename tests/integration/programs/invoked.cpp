// SPDX-License-Identifier: Apache-2.0
// Numbers of Fibonacci by foretask::invoke(), each first part as a task of OpenMP: 12 has 232 calls that divide.
#include <cstdio>

#include "foretask/granularity.hpp"

static int fib(const foretask::Kernel& kernel, int n) {
  if (n < 2) return n;
  int first = 0;
  int second = 0;
  foretask::invoke(
      kernel, n, [&] { first = fib(kernel, n - 1); },  // part
      [&] { second = fib(kernel, n - 2); });
  return first + second;
}

int main() {
  const foretask::Kernel kernel("numbers");
  int result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(kernel, 12);
  std::printf("%d\n", result);
  return 0;
}
