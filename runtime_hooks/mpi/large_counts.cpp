// SPDX-License-Identifier: Apache-2.0
// MPI 4's calls with large counts.
#include <mpi.h>

#if MPI_VERSION >= 4
#define FORETASK_LARGE_COUNTS
#include "collectives.cpp"     // NOLINT(bugprone-suspicious-include): once more, see counts.hpp
#include "point_to_point.cpp"  // NOLINT(bugprone-suspicious-include)
#endif
