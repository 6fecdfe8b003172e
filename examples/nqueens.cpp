// SPDX-License-Identifier: Apache-2.0
// Counts the ways to place n queens on an n x n board so that none attacks another: one task a safe square of a row.
#include <array>

#include "sleep.hpp"

namespace {

examples::SleepingBodies sleeping;

constexpr long kMaxBoard = 18;

// Solutions for boards of 1 to 18 rows: sequence A000170 of the OEIS.
constexpr std::array<long, kMaxBoard> kKnownCounts = {
    1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624};

// The squares that the queens above attack, one bit a column of the row at hand.
struct Attacked {
  unsigned columns = 0;
  unsigned down_left = 0;
  unsigned down_right = 0;

  [[nodiscard]] unsigned free_squares(long n) const { return ~(columns | down_left | down_right) & ((1u << n) - 1); }
  [[nodiscard]] Attacked with(unsigned square) const {
    return {columns | square, (down_left | square) << 1, (down_right | square) >> 1};
  }
};

[[gnu::noinline]] long count_serial(long n, long row, Attacked attacked) {
  if (row == n) return 1;
  long count = 0;
  for (unsigned free = attacked.free_squares(n); free != 0; free &= free - 1)
    count += count_serial(n, row + 1, attacked.with(free & -free));
  return count;
}

// Calls that count_serial() takes: some thousandths of the time that is then slept.
long serial_calls(long n, long row, Attacked attacked) {
  long calls = 1;
  if (row == n) return calls;
  for (unsigned free = attacked.free_squares(n); free != 0; free &= free - 1)
    calls += serial_calls(n, row + 1, attacked.with(free & -free));
  return calls;
}

[[gnu::noinline]] void sleep_serial(long n, long row, Attacked attacked) {
  const std::int64_t start_ns = examples::now_ns();
  sleeping.sleep(static_cast<double>(serial_calls(n, row, attacked)), start_ns);
}

[[gnu::noinline]] long count_tasks(long n, long row, long cutoff, Attacked attacked) {
  if (row == n) return 1;
  if (cutoff > 0 && row >= cutoff) {
    if (!sleeping.on()) return count_serial(n, row, attacked);
    sleep_serial(n, row, attacked);
    return 0;
  }
  std::array<long, kMaxBoard> counts = {};
  long* slot = counts.data();
  for (unsigned free = attacked.free_squares(n); free != 0; free &= free - 1, ++slot) {
    const Attacked below = attacked.with(free & -free);
#pragma omp task firstprivate(slot, below)
    *slot = count_tasks(n, row + 1, cutoff, below);
  }
#pragma omp taskwait
  long count = 0;
  for (const long part : counts) count += part;
  return count;
}

long count_parallel(long n, long cutoff, examples::Run& run) {
  long count = 0;
#pragma omp parallel num_threads(run.threads)
  {
#pragma omp barrier
#pragma omp single nowait
    {
      run.start();
      count = count_tasks(n, 0, cutoff, {});
    }
  }
  run.stop();
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  long n = 14;
  long cutoff = 3;
  examples::Arguments arguments("nqueens", "counts the solutions of the n queens puzzle");
  arguments.number("-n", "rows of the board", n, 1, kMaxBoard);
  arguments.number("-x", "cut-off: serial below this many rows, 0 for none", cutoff, 0, kMaxBoard);
  sleeping.add_options(arguments);
  arguments.parse(argc, argv);
  sleeping.prepare();
  return arguments.repeat(n, [&](examples::Run& run) {
    const long count = count_parallel(n, cutoff, run);
    return sleeping.on() ? sleeping.fit_into(run) : count == kKnownCounts[static_cast<std::size_t>(n - 1)];
  });
}
