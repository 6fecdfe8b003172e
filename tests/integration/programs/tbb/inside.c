// SPDX-License-Identifier: Apache-2.0
// As linked with libtbb.a: the program defines what libtbb would, and has its version among its constants.
#include <stdio.h>

void spawn(void) __asm__("_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE");
void spawn(void) {}

static const char version[] = "oneTBB: VERSION\t\t2021.8\noneTBB: INTERFACE VERSION\t12080\n";

int main(int argc, char** argv) {
  (void)argv;
  spawn();
  if (argc > 1) puts(version);
  return 0;
}
