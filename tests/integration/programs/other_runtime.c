/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for a program on another version of a runtime than the hook's, and for that version. */
int main(void) { return 0; }
