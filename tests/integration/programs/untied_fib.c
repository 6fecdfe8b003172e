// SPDX-License-Identifier: Apache-2.0
// untied_fib N: fib with untied tasks. Clang makes two parts of each.
#define KIND untied
#include "fib.c"
