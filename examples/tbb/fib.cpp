// SPDX-License-Identifier: Apache-2.0
// Fibonacci numbers by the doubly recursive definition, as oneTBB's tasks: the same as ../fib.cpp.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/version.h>

#include "sleep.hpp"

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

long fib_parallel(long n, long cutoff, examples::Run& run) {
  long result = 0;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(run.threads));
  tbb::task_arena arena(run.threads);
  arena.execute([&] {
    run.start();
    result = fib_tasks(n, cutoff);
  });
  run.stop();
  return result;
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
    const long result = fib_parallel(n, cutoff, run);
    return sleeping.on() ? sleeping.fit_into(run) : result == fib_iterative(n);
  });
}
