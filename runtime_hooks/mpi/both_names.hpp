// SPDX-License-Identifier: Apache-2.0
// HOT: what defines a function of MPI under both of its names. C programs, and MPICH's Fortran interfaces
// (mpif.h, mpi and mpi_f08), call MPI_Send(). Open MPI's Fortran interfaces and other tools call PMPI_Send().
#pragma once

#include <mpi.h>

#include "foretask/foretask.h"
#include "next_symbol.hpp"

// The head of the definition of MPI_Send(), for `name` Send: FORETASK_MPI(Send)(const void* data, ...) { ... }
#define FORETASK_MPI(name)                                                             \
  FORETASK_API decltype(PMPI_##name) PMPI_##name __attribute__((alias("MPI_" #name))); \
  FORETASK_API int MPI_##name

namespace foretask::mpi {

// MPI's own function. A library that a module of the program loaded, as Python's do, is not among those after this one.
template <typename Function>
Function real(const char* name) noexcept {
  if (const auto found = next_symbol<Function>(name)) return found;
  for (const char* const library : {"libmpich.so.12", "libmpi.so.12"})
    if (void* const loaded = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD))
      return reinterpret_cast<Function>(::dlsym(loaded, name));
  return nullptr;
}

}  // namespace foretask::mpi

// The same, looked up once: one load and a branch. No function of MPI is called in another way: the hook of MPICH's ABI
// is linked with no MPI, so that it starts in programs that load none.
#define FORETASK_REAL(name)                                                                \
  ([]() noexcept {                                                                         \
    static const auto real = foretask::mpi::real<decltype(&(PMPI_##name))>("PMPI_" #name); \
    return real;                                                                           \
  }())
