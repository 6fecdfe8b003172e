// SPDX-License-Identifier: Apache-2.0
// HOT: what defines a function of MPI under both of its names. C programs, and MPICH's Fortran interfaces
// (mpif.h, mpi and mpi_f08), call MPI_Send(). Open MPI's Fortran interfaces and other tools call PMPI_Send().
#pragma once

#include <mpi.h>

#include "foretask/foretask.h"
#include "kit/next_function.hpp"

// The head of the definition of MPI_Send(), for `name` Send: FORETASK_MPI(Send)(const void* data, ...) { ... }
#define FORETASK_MPI(name)                                                             \
  FORETASK_API decltype(PMPI_##name) PMPI_##name __attribute__((alias("MPI_" #name))); \
  FORETASK_API int MPI_##name

// MPI's own function. No function of MPI is called in another way: the hook of MPICH's ABI is linked with no MPI, so
// that it starts in programs that load none.
#define FORETASK_REAL(name) FORETASK_NEXT(PMPI_##name)
