// SPDX-License-Identifier: Apache-2.0
// MPI's collectives. The bytes are what one rank gives each other one, or the root; of calls
// with a count for each rank, 0.
#include "collective.hpp"

using foretask::mpi::bytes_of;
using foretask::mpi::collective;
using foretask::mpi::received_bytes;
using foretask::mpi::sent_bytes;

extern "C" {

FORETASK_API int MPI_Barrier(MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, 0, [&] { return PMPI_Barrier(comm); });
}

FORETASK_API int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_FROM_ROOT, root, bytes_of(count, type),
                    [&] { return PMPI_Bcast(data, count, type, root, comm); });
}

FORETASK_API int MPI_Scatter(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                             MPI_Datatype in_type, int root, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_FROM_ROOT, root,
                    received_bytes(in, in_count, in_type, out_count, out_type),
                    [&] { return PMPI_Scatter(out, out_count, out_type, in, in_count, in_type, root, comm); });
}

FORETASK_API int MPI_Scatterv(const void* out, const int* out_counts, const int* places, MPI_Datatype out_type,
                              void* in, int in_count, MPI_Datatype in_type, int root, MPI_Comm comm) {
  return collective(
      comm, FORETASK_COLLECTIVE_FROM_ROOT, root, in == MPI_IN_PLACE ? 0 : bytes_of(in_count, in_type),
      [&] { return PMPI_Scatterv(out, out_counts, places, out_type, in, in_count, in_type, root, comm); });
}

FORETASK_API int MPI_Gather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                            MPI_Datatype in_type, int root, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_TO_ROOT, root, sent_bytes(out, out_count, out_type, in_count, in_type),
                    [&] { return PMPI_Gather(out, out_count, out_type, in, in_count, in_type, root, comm); });
}

FORETASK_API int MPI_Gatherv(const void* out, int out_count, MPI_Datatype out_type, void* in, const int* in_counts,
                             const int* places, MPI_Datatype in_type, int root, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_TO_ROOT, root, out == MPI_IN_PLACE ? 0 : bytes_of(out_count, out_type),
                    [&] { return PMPI_Gatherv(out, out_count, out_type, in, in_counts, places, in_type, root, comm); });
}

FORETASK_API int MPI_Reduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, int root,
                            MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_TO_ROOT, root, bytes_of(count, type),
                    [&] { return PMPI_Reduce(out, in, count, type, op, root, comm); });
}

FORETASK_API int MPI_Allreduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, bytes_of(count, type),
                    [&] { return PMPI_Allreduce(out, in, count, type, op, comm); });
}

FORETASK_API int MPI_Allgather(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                               MPI_Datatype in_type, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, sent_bytes(out, out_count, out_type, in_count, in_type),
                    [&] { return PMPI_Allgather(out, out_count, out_type, in, in_count, in_type, comm); });
}

FORETASK_API int MPI_Allgatherv(const void* out, int out_count, MPI_Datatype out_type, void* in, const int* in_counts,
                                const int* places, MPI_Datatype in_type, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, out == MPI_IN_PLACE ? 0 : bytes_of(out_count, out_type),
                    [&] { return PMPI_Allgatherv(out, out_count, out_type, in, in_counts, places, in_type, comm); });
}

FORETASK_API int MPI_Alltoall(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                              MPI_Datatype in_type, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, sent_bytes(out, out_count, out_type, in_count, in_type),
                    [&] { return PMPI_Alltoall(out, out_count, out_type, in, in_count, in_type, comm); });
}

FORETASK_API int MPI_Alltoallv(const void* out, const int* out_counts, const int* out_places, MPI_Datatype out_type,
                               void* in, const int* in_counts, const int* in_places, MPI_Datatype in_type,
                               MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, 0, [&] {
    return PMPI_Alltoallv(out, out_counts, out_places, out_type, in, in_counts, in_places, in_type, comm);
  });
}

FORETASK_API int MPI_Alltoallw(const void* out, const int* out_counts, const int* out_places,
                               const MPI_Datatype* out_types, void* in, const int* in_counts, const int* in_places,
                               const MPI_Datatype* in_types, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, 0, [&] {
    return PMPI_Alltoallw(out, out_counts, out_places, out_types, in, in_counts, in_places, in_types, comm);
  });
}

FORETASK_API int MPI_Reduce_scatter(const void* out, void* in, const int* counts, MPI_Datatype type, MPI_Op op,
                                    MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, 0,
                    [&] { return PMPI_Reduce_scatter(out, in, counts, type, op, comm); });
}

FORETASK_API int MPI_Reduce_scatter_block(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op,
                                          MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, bytes_of(count, type),
                    [&] { return PMPI_Reduce_scatter_block(out, in, count, type, op, comm); });
}

FORETASK_API int MPI_Scan(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_PREFIX, 0, bytes_of(count, type),
                    [&] { return PMPI_Scan(out, in, count, type, op, comm); });
}

FORETASK_API int MPI_Exscan(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_PREFIX, 0, bytes_of(count, type),
                    [&] { return PMPI_Exscan(out, in, count, type, op, comm); });
}

}  // extern "C"
