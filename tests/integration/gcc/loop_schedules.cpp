// SPDX-License-Identifier: Apache-2.0
// A loop of 60 iterations for each of the functions that hand them out. The lines of their constructs say the schedule
// by which the report must know them; that of schedule(runtime) is the environment's.
#include <unistd.h>

int main() {
#pragma omp parallel for schedule(guided, 4)  // = guided,4
  for (int i = 0; i < 60; ++i) usleep(100);
#pragma omp parallel for schedule(dynamic, 3)  // = dynamic,3
  for (int i = 60; i > 0; --i) usleep(100);
#pragma omp parallel for schedule(runtime)  // = static,7
  for (int i = 0; i < 120; i += 2) usleep(100);
#pragma omp parallel
  {
#pragma omp for schedule(monotonic : dynamic, 5)  // = dynamic,5
    for (int i = -30; i < 30; ++i) usleep(100);
#pragma omp for schedule(guided) nowait  // = guided
    for (int i = 0; i < 60; ++i) usleep(100);
#pragma omp for schedule(runtime)  // = static,7
    for (int i = 0; i < 60; ++i) usleep(100);
#pragma omp for schedule(dynamic, 2)  // = dynamic,2
    for (unsigned long i = 60; i > 0; --i) usleep(100);
#pragma omp for schedule(dynamic, 6) ordered  // = dynamic,6
    for (int i = 0; i < 60; ++i) usleep(100);
  }
}
