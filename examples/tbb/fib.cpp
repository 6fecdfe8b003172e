// SPDX-License-Identifier: Apache-2.0
// Fibonacci numbers by the doubly recursive definition, as oneTBB's tasks: the same as ../fib.cpp.
#include <oneapi/tbb/task_group.h>

#include "sleep.hpp"
#include "tbb/arena.hpp"

namespace {

examples::SleepingBodies sleeping;

long fib_iterative(long n) {
  long current = 0;
  long next = 1;
  for (long i = 0; i < n; ++i) current = std::exchange(next, current + next);
  return current;
}

double serial_calls(long n) { return 2 * static_cast<double>(fib_iterative(n + 1)) - 1; }

[[gnu::noinline]] long fib_serial(long n) { return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2); }

[[gnu::noinline]] long fib_tasks(long n, long cutoff) {
  if (n < 2) return n;
  if (n <= cutoff) {
    if (!sleeping.on()) return fib_serial(n);
    sleeping.sleep(serial_calls(n));
    return 0;
  }
  long first = 0;
  long second = 0;
  tbb::task_group group;
  group.run([&first, n, cutoff] { first = fib_tasks(n - 1, cutoff); });
  group.run([&second, n, cutoff] { second = fib_tasks(n - 2, cutoff); });
  group.wait();
  return first + second;
}

}  // namespace

int main(int argc, char** argv) {
  long n = 41;
  long cutoff = 21;
  examples::Arguments arguments("tbb_fib", "Fibonacci numbers, two tasks a call");
  arguments.number("-n", "which Fibonacci number", n, 0, 60);
  arguments.number("-x", "cut-off: serial from this number down, 0 for none", cutoff, 0, 60);
  sleeping.add_options(arguments);
  arguments.parse(argc, argv);
  sleeping.prepare();
  return arguments.repeat(n, [&](examples::Run& run) {
    long result = 0;
    examples::run_in_arena(run, [&] { result = fib_tasks(n, cutoff); });
    return sleeping.on() ? sleeping.fit_into(run) : result == fib_iterative(n);
  });
}
