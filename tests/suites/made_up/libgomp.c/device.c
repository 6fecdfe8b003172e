/* SPDX-License-Identifier: Apache-2.0 */
/* { dg-do run } */
/* { dg-require-effective-target offload_device } */
int main(void) { return 0; }
