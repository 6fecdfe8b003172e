// SPDX-License-Identifier: Apache-2.0
// Fibonacci numbers by the doubly recursive definition: the smallest possible tasks when there is no cut-off.
#include "common.hpp"

namespace {

[[gnu::noinline]] long fib_serial(long n) { return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2); }

[[gnu::noinline]] long fib_tasks(long n, long cutoff) {
  if (n < 2) return n;
  if (n <= cutoff) return fib_serial(n);
  long first = 0;
  long second = 0;
#pragma omp task shared(first)
  first = fib_tasks(n - 1, cutoff);
#pragma omp task shared(second)
  second = fib_tasks(n - 2, cutoff);
#pragma omp taskwait
  return first + second;
}

long fib_parallel(long n, long cutoff, examples::Run& run) {
  long result = 0;
#pragma omp parallel num_threads(run.threads)
  {
#pragma omp barrier
#pragma omp single nowait
    {
      run.start();
      result = fib_tasks(n, cutoff);
    }
  }
  run.stop();
  return result;
}

long fib_iterative(long n) {
  long current = 0;
  long next = 1;
  for (long i = 0; i < n; ++i) current = std::exchange(next, current + next);
  return current;
}

}  // namespace

int main(int argc, char** argv) {
  long n = 41;
  long cutoff = 21;
  examples::Arguments arguments("fib", "Fibonacci numbers, two tasks a call");
  arguments.number("-n", "which Fibonacci number", n, 0, 60);
  arguments.number("-x", "cut-off: serial from this number down, 0 for none", cutoff, 0, 60);
  arguments.parse(argc, argv);
  return arguments.repeat(n, [&](examples::Run& run) { return fib_parallel(n, cutoff, run) == fib_iterative(n); });
}
