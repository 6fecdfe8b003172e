// SPDX-License-Identifier: Apache-2.0
// A loop of twelve iterations that sleep for 2 ms, the fifth and sixth for 20 and those behind them for 4. Halves take
// 48 and 24 ms, thirds 8, 48 and 16, sixths 4, 4, 40, 8, 8 and 8. With an argument there is an iteration more.
#include "spin.h"

int main(int count, char** words) {
  (void)words;
  const int iterations = 11 + count;
#pragma omp parallel for schedule(runtime)  // loop
  for (int i = 0; i < iterations; ++i) {
    const struct timespec length = {0, (i < 4 ? 2 : i < 6 ? 20 : 4) * 1000000L};
    nanosleep(&length, 0);
  }
  return 0;
}
