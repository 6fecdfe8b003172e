// SPDX-License-Identifier: Apache-2.0
// MPI's collectives. The bytes are what one rank gives each other one, or the root; of calls
// with a count for each rank, 0.
#include "collective.hpp"

using foretask::mpi::bytes_of;
using foretask::mpi::collective;
using foretask::mpi::received_bytes;
using foretask::mpi::sent_bytes;

extern "C" {

FORETASK_MPI(Barrier)(MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, 0, [&] { return FORETASK_REAL(Barrier)(comm); });
}

FORETASK_MPI(Bcast)(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_FROM_ROOT, root, bytes_of(count, type),
                    [&] { return FORETASK_REAL(Bcast)(data, count, type, root, comm); });
}

FORETASK_MPI(Scatter)
(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type, int root,
 MPI_Comm comm) {
  return collective(
      comm, FORETASK_COLLECTIVE_FROM_ROOT, root, received_bytes(in, in_count, in_type, out_count, out_type),
      [&] { return FORETASK_REAL(Scatter)(out, out_count, out_type, in, in_count, in_type, root, comm); });
}

FORETASK_MPI(Scatterv)
(const void* out, const int* out_counts, const int* places, MPI_Datatype out_type, void* in, int in_count,
 MPI_Datatype in_type, int root, MPI_Comm comm) {
  return collective(
      comm, FORETASK_COLLECTIVE_FROM_ROOT, root, in == MPI_IN_PLACE ? 0 : bytes_of(in_count, in_type),
      [&] { return FORETASK_REAL(Scatterv)(out, out_counts, places, out_type, in, in_count, in_type, root, comm); });
}

FORETASK_MPI(Gather)
(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type, int root,
 MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_TO_ROOT, root, sent_bytes(out, out_count, out_type, in_count, in_type),
                    [&] { return FORETASK_REAL(Gather)(out, out_count, out_type, in, in_count, in_type, root, comm); });
}

FORETASK_MPI(Gatherv)
(const void* out, int out_count, MPI_Datatype out_type, void* in, const int* in_counts, const int* places,
 MPI_Datatype in_type, int root, MPI_Comm comm) {
  return collective(
      comm, FORETASK_COLLECTIVE_TO_ROOT, root, out == MPI_IN_PLACE ? 0 : bytes_of(out_count, out_type),
      [&] { return FORETASK_REAL(Gatherv)(out, out_count, out_type, in, in_counts, places, in_type, root, comm); });
}

FORETASK_MPI(Reduce)(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_TO_ROOT, root, bytes_of(count, type),
                    [&] { return FORETASK_REAL(Reduce)(out, in, count, type, op, root, comm); });
}

FORETASK_MPI(Allreduce)(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, bytes_of(count, type),
                    [&] { return FORETASK_REAL(Allreduce)(out, in, count, type, op, comm); });
}

FORETASK_MPI(Allgather)
(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, sent_bytes(out, out_count, out_type, in_count, in_type),
                    [&] { return FORETASK_REAL(Allgather)(out, out_count, out_type, in, in_count, in_type, comm); });
}

FORETASK_MPI(Allgatherv)
(const void* out, int out_count, MPI_Datatype out_type, void* in, const int* in_counts, const int* places,
 MPI_Datatype in_type, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, out == MPI_IN_PLACE ? 0 : bytes_of(out_count, out_type), [&] {
    return FORETASK_REAL(Allgatherv)(out, out_count, out_type, in, in_counts, places, in_type, comm);
  });
}

FORETASK_MPI(Alltoall)
(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, sent_bytes(out, out_count, out_type, in_count, in_type),
                    [&] { return FORETASK_REAL(Alltoall)(out, out_count, out_type, in, in_count, in_type, comm); });
}

FORETASK_MPI(Alltoallv)
(const void* out, const int* out_counts, const int* out_places, MPI_Datatype out_type, void* in, const int* in_counts,
 const int* in_places, MPI_Datatype in_type, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, 0, [&] {
    return FORETASK_REAL(Alltoallv)(out, out_counts, out_places, out_type, in, in_counts, in_places, in_type, comm);
  });
}

FORETASK_MPI(Alltoallw)
(const void* out, const int* out_counts, const int* out_places, const MPI_Datatype* out_types, void* in,
 const int* in_counts, const int* in_places, const MPI_Datatype* in_types, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, 0, [&] {
    return FORETASK_REAL(Alltoallw)(out, out_counts, out_places, out_types, in, in_counts, in_places, in_types, comm);
  });
}

FORETASK_MPI(Reduce_scatter)
(const void* out, void* in, const int* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, 0,
                    [&] { return FORETASK_REAL(Reduce_scatter)(out, in, counts, type, op, comm); });
}

FORETASK_MPI(Reduce_scatter_block)(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, bytes_of(count, type),
                    [&] { return FORETASK_REAL(Reduce_scatter_block)(out, in, count, type, op, comm); });
}

FORETASK_MPI(Scan)(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_PREFIX, 0, bytes_of(count, type),
                    [&] { return FORETASK_REAL(Scan)(out, in, count, type, op, comm); });
}

FORETASK_MPI(Exscan)(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_PREFIX, 0, bytes_of(count, type),
                    [&] { return FORETASK_REAL(Exscan)(out, in, count, type, op, comm); });
}

}  // extern "C"
