// SPDX-License-Identifier: Apache-2.0
// HOT: what defines a function of MPI under both of its names. C programs call MPI_Send(). Open MPI's Fortran
// interfaces (mpif.h, mpi and mpi_f08) and other tools call PMPI_Send().
#pragma once

#include <mpi.h>

#include "foretask/foretask.h"
#include "next_symbol.hpp"

// The head of the definition of MPI_Send(), for `name` Send: FORETASK_MPI(Send)(const void* data, ...) { ... }
#define FORETASK_MPI(name)                                                             \
  FORETASK_API decltype(PMPI_##name) PMPI_##name __attribute__((alias("MPI_" #name))); \
  FORETASK_API int MPI_##name

// libmpi's own function. One load and a branch.
#define FORETASK_REAL(name)                                                                  \
  ([]() noexcept {                                                                           \
    static const auto real = foretask::next_symbol<decltype(&(PMPI_##name))>("PMPI_" #name); \
    return real;                                                                             \
  }())
