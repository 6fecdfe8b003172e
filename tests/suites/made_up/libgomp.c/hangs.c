/* SPDX-License-Identifier: Apache-2.0 */
/* { dg-do run } */
#include <unistd.h>

int main(void) {
  for (;;) pause();
}
