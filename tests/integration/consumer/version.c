/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "foretask/foretask.h"

int main(void) {
  printf("foretask %s, recording: %d\n", foretask_version(), foretask_is_recording());
  return 0;
}
