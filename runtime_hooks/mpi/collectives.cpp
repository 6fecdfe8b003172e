// SPDX-License-Identifier: Apache-2.0
// MPI's collectives. The bytes are what one rank gives each other one, or the root; of calls
// with a count for each rank, 0.
#include "collective.hpp"
#include "counts.hpp"

using foretask::mpi::bytes_of;
using foretask::mpi::collective;
using foretask::mpi::received_bytes;
using foretask::mpi::sent_bytes;

extern "C" {

FORETASK_COUNTED(Bcast)(void* data, Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_FROM_ROOT, root, bytes_of(count, type),
                    [&] { return FORETASK_REAL_COUNTED(Bcast)(data, count, type, root, comm); });
}

FORETASK_COUNTED(Scatter)
(const void* out, Count out_count, MPI_Datatype out_type, void* in, Count in_count, MPI_Datatype in_type, int root,
 MPI_Comm comm) {
  return collective(
      comm, FORETASK_COLLECTIVE_FROM_ROOT, root, received_bytes(in, in_count, in_type, out_count, out_type),
      [&] { return FORETASK_REAL_COUNTED(Scatter)(out, out_count, out_type, in, in_count, in_type, root, comm); });
}

FORETASK_COUNTED(Scatterv)
(const void* out, const Count* out_counts, const Place* places, MPI_Datatype out_type, void* in, Count in_count,
 MPI_Datatype in_type, int root, MPI_Comm comm) {
  return collective(
      comm, FORETASK_COLLECTIVE_FROM_ROOT, root, in == MPI_IN_PLACE ? 0 : bytes_of(in_count, in_type), [&] {
        return FORETASK_REAL_COUNTED(Scatterv)(out, out_counts, places, out_type, in, in_count, in_type, root, comm);
      });
}

FORETASK_COUNTED(Gather)
(const void* out, Count out_count, MPI_Datatype out_type, void* in, Count in_count, MPI_Datatype in_type, int root,
 MPI_Comm comm) {
  return collective(
      comm, FORETASK_COLLECTIVE_TO_ROOT, root, sent_bytes(out, out_count, out_type, in_count, in_type),
      [&] { return FORETASK_REAL_COUNTED(Gather)(out, out_count, out_type, in, in_count, in_type, root, comm); });
}

FORETASK_COUNTED(Gatherv)
(const void* out, Count out_count, MPI_Datatype out_type, void* in, const Count* in_counts, const Place* places,
 MPI_Datatype in_type, int root, MPI_Comm comm) {
  return collective(
      comm, FORETASK_COLLECTIVE_TO_ROOT, root, out == MPI_IN_PLACE ? 0 : bytes_of(out_count, out_type), [&] {
        return FORETASK_REAL_COUNTED(Gatherv)(out, out_count, out_type, in, in_counts, places, in_type, root, comm);
      });
}

FORETASK_COUNTED(Reduce)
(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_TO_ROOT, root, bytes_of(count, type),
                    [&] { return FORETASK_REAL_COUNTED(Reduce)(out, in, count, type, op, root, comm); });
}

FORETASK_COUNTED(Allreduce)(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, bytes_of(count, type),
                    [&] { return FORETASK_REAL_COUNTED(Allreduce)(out, in, count, type, op, comm); });
}

FORETASK_COUNTED(Allgather)
(const void* out, Count out_count, MPI_Datatype out_type, void* in, Count in_count, MPI_Datatype in_type,
 MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, sent_bytes(out, out_count, out_type, in_count, in_type), [&] {
    return FORETASK_REAL_COUNTED(Allgather)(out, out_count, out_type, in, in_count, in_type, comm);
  });
}

FORETASK_COUNTED(Allgatherv)
(const void* out, Count out_count, MPI_Datatype out_type, void* in, const Count* in_counts, const Place* places,
 MPI_Datatype in_type, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, out == MPI_IN_PLACE ? 0 : bytes_of(out_count, out_type), [&] {
    return FORETASK_REAL_COUNTED(Allgatherv)(out, out_count, out_type, in, in_counts, places, in_type, comm);
  });
}

FORETASK_COUNTED(Alltoall)
(const void* out, Count out_count, MPI_Datatype out_type, void* in, Count in_count, MPI_Datatype in_type,
 MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, sent_bytes(out, out_count, out_type, in_count, in_type), [&] {
    return FORETASK_REAL_COUNTED(Alltoall)(out, out_count, out_type, in, in_count, in_type, comm);
  });
}

FORETASK_COUNTED(Alltoallv)
(const void* out, const Count* out_counts, const Place* out_places, MPI_Datatype out_type, void* in,
 const Count* in_counts, const Place* in_places, MPI_Datatype in_type, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, 0, [&] {
    return FORETASK_REAL_COUNTED(Alltoallv)(out, out_counts, out_places, out_type, in, in_counts, in_places, in_type,
                                            comm);
  });
}

FORETASK_COUNTED(Alltoallw)
(const void* out, const Count* out_counts, const Place* out_places, const MPI_Datatype* out_types, void* in,
 const Count* in_counts, const Place* in_places, const MPI_Datatype* in_types, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, 0, [&] {
    return FORETASK_REAL_COUNTED(Alltoallw)(out, out_counts, out_places, out_types, in, in_counts, in_places, in_types,
                                            comm);
  });
}

FORETASK_COUNTED(Reduce_scatter)
(const void* out, void* in, const Count* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, 0,
                    [&] { return FORETASK_REAL_COUNTED(Reduce_scatter)(out, in, counts, type, op, comm); });
}

FORETASK_COUNTED(Reduce_scatter_block)
(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, bytes_of(count, type),
                    [&] { return FORETASK_REAL_COUNTED(Reduce_scatter_block)(out, in, count, type, op, comm); });
}

FORETASK_COUNTED(Scan)(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_PREFIX, 0, bytes_of(count, type),
                    [&] { return FORETASK_REAL_COUNTED(Scan)(out, in, count, type, op, comm); });
}

FORETASK_COUNTED(Exscan)(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_PREFIX, 0, bytes_of(count, type),
                    [&] { return FORETASK_REAL_COUNTED(Exscan)(out, in, count, type, op, comm); });
}

}  // extern "C"
