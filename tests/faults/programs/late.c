// SPDX-License-Identifier: Apache-2.0
// A library that is loaded late: 1 KiB of variables of threads, in what the C library has left for such.
__thread char kept[1024] __attribute__((tls_model("initial-exec")));

char* keep(void) { return kept; }
