// SPDX-License-Identifier: Apache-2.0
// Target regions, with nowait and without. A program of its own: LLVM's replacement of libgomp has no function for
// them, and what needs one runs there unrecorded.
int main(void) {
  long done = 0;
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < 50; ++i) {
#pragma omp target nowait depend(inout : done) map(tofrom : done)
#pragma omp parallel num_threads(1)
    ++done;
#pragma omp target depend(inout : done) map(tofrom : done)
    ++done;
  }
  return done == 100 ? 3 : 1;
}
