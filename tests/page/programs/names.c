// SPDX-License-Identifier: Apache-2.0
// names NAME...: annotated tasks whose kernels are called as the arguments say, some of them one after the other.
#include "foretask/dataflow.h"
#include "foretask/foretask.h"

enum { kTasks = 6, kSteps = 200000 };

int main(int count, char** names) {
  static volatile double sums[64];
  for (int task = 0; task < kTasks; ++task) {
    for (int i = 1; i < count && i < 64; ++i) {
      const foretask_access access = {(const void*)&sums[task % 2 == 0 ? 0 : i], sizeof(double), FORETASK_INOUT};
      foretask_task_begin(foretask_kernel_define(names[i], 0, 0), 0, 0, &access, 1);
      for (int step = 0; step < kSteps * i; ++step) sums[i] = sums[i] + step;
      foretask_task_end();
    }
  }
  return 0;
}
