// SPDX-License-Identifier: Apache-2.0
// What libgomp has from GCC 13 on, for a program whose dependences hold without it.
void GOMP_taskwait_depend_nowait(void** depend);

void GOMP_taskwait_depend_nowait(void** depend) { (void)depend; }
