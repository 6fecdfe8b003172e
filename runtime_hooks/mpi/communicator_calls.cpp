// SPDX-License-Identifier: Apache-2.0
// The calls that make communicators: all ranks of the old one come to them, and give the new one the same name.
#include "collective.hpp"

using foretask::mpi::Call;
using foretask::mpi::Collective;
using foretask::mpi::communicator_of;
using foretask::mpi::name_child;

namespace {

template <typename Function>
int make(MPI_Comm parent, const MPI_Comm* made, Function&& function) {
  Call call;
  const Collective all = call.entered(parent, FORETASK_COLLECTIVE_ALL, 0, 0);
  const int result = function();
  if (result != MPI_SUCCESS || call.is_silent()) return result;
  name_child(*communicator_of(parent), *made);
  call.left(all);
  return result;
}

}  // namespace

extern "C" {

FORETASK_API int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return make(comm, made, [&] { return PMPI_Comm_dup(comm, made); });
}
FORETASK_API int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
  return make(comm, made, [&] { return PMPI_Comm_dup_with_info(comm, info, made); });
}
FORETASK_API int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return make(comm, made, [&] { return PMPI_Comm_split(comm, color, key, made); });
}
FORETASK_API int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  return make(comm, made, [&] { return PMPI_Comm_split_type(comm, type, key, info, made); });
}
FORETASK_API int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  return make(comm, made, [&] { return PMPI_Comm_create(comm, group, made); });
}
FORETASK_API int MPI_Cart_create(MPI_Comm comm, int dimensions, const int* sizes, const int* periods, int reorder,
                                 MPI_Comm* made) {
  return make(comm, made, [&] { return PMPI_Cart_create(comm, dimensions, sizes, periods, reorder, made); });
}
FORETASK_API int MPI_Cart_sub(MPI_Comm comm, const int* kept, MPI_Comm* made) {
  return make(comm, made, [&] { return PMPI_Cart_sub(comm, kept, made); });
}

}  // extern "C"
