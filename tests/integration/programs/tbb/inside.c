// SPDX-License-Identifier: Apache-2.0
// As linked with libtbb.a: the program defines what libtbb would.
void spawn(void) __asm__("_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE");
void spawn(void) {}

int main(void) {
  spawn();
  return 0;
}
