/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for a program on another StarPU than the hook's, and for that StarPU. */
int main(void) { return 0; }
