// SPDX-License-Identifier: Apache-2.0
// MPI's nonblocking collectives, done when they are waited for. The bytes are what one rank gives each other one, or
// the root; of calls with a count for each rank, 0.
#include "collective.hpp"

using foretask::mpi::begin_collective;
using foretask::mpi::bytes_of;
using foretask::mpi::received_bytes;
using foretask::mpi::sent_bytes;

extern "C" {

FORETASK_MPI(Ibarrier)(MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_ALL, 0, 0,
                          [&] { return FORETASK_REAL(Ibarrier)(comm, request); });
}

FORETASK_MPI(Ibcast)(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_FROM_ROOT, root, bytes_of(count, type),
                          [&] { return FORETASK_REAL(Ibcast)(data, count, type, root, comm, request); });
}

FORETASK_MPI(Iscatter)
(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type, int root,
 MPI_Comm comm, MPI_Request* request) {
  return begin_collective(
      comm, request, FORETASK_COLLECTIVE_FROM_ROOT, root, received_bytes(in, in_count, in_type, out_count, out_type),
      [&] { return FORETASK_REAL(Iscatter)(out, out_count, out_type, in, in_count, in_type, root, comm, request); });
}

FORETASK_MPI(Iscatterv)
(const void* out, const int* out_counts, const int* places, MPI_Datatype out_type, void* in, int in_count,
 MPI_Datatype in_type, int root, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(
      comm, request, FORETASK_COLLECTIVE_FROM_ROOT, root, in == MPI_IN_PLACE ? 0 : bytes_of(in_count, in_type), [&] {
        return FORETASK_REAL(Iscatterv)(out, out_counts, places, out_type, in, in_count, in_type, root, comm, request);
      });
}

FORETASK_MPI(Igather)
(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type, int root,
 MPI_Comm comm, MPI_Request* request) {
  return begin_collective(
      comm, request, FORETASK_COLLECTIVE_TO_ROOT, root, sent_bytes(out, out_count, out_type, in_count, in_type),
      [&] { return FORETASK_REAL(Igather)(out, out_count, out_type, in, in_count, in_type, root, comm, request); });
}

FORETASK_MPI(Igatherv)
(const void* out, int out_count, MPI_Datatype out_type, void* in, const int* in_counts, const int* places,
 MPI_Datatype in_type, int root, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(
      comm, request, FORETASK_COLLECTIVE_TO_ROOT, root, out == MPI_IN_PLACE ? 0 : bytes_of(out_count, out_type), [&] {
        return FORETASK_REAL(Igatherv)(out, out_count, out_type, in, in_counts, places, in_type, root, comm, request);
      });
}

FORETASK_MPI(Ireduce)
(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_TO_ROOT, root, bytes_of(count, type),
                          [&] { return FORETASK_REAL(Ireduce)(out, in, count, type, op, root, comm, request); });
}

FORETASK_MPI(Iallreduce)
(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_ALL, 0, bytes_of(count, type),
                          [&] { return FORETASK_REAL(Iallreduce)(out, in, count, type, op, comm, request); });
}

FORETASK_MPI(Iallgather)
(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type, MPI_Comm comm,
 MPI_Request* request) {
  return begin_collective(
      comm, request, FORETASK_COLLECTIVE_ALL, 0, sent_bytes(out, out_count, out_type, in_count, in_type),
      [&] { return FORETASK_REAL(Iallgather)(out, out_count, out_type, in, in_count, in_type, comm, request); });
}

FORETASK_MPI(Iallgatherv)
(const void* out, int out_count, MPI_Datatype out_type, void* in, const int* in_counts, const int* places,
 MPI_Datatype in_type, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(
      comm, request, FORETASK_COLLECTIVE_ALL, 0, out == MPI_IN_PLACE ? 0 : bytes_of(out_count, out_type), [&] {
        return FORETASK_REAL(Iallgatherv)(out, out_count, out_type, in, in_counts, places, in_type, comm, request);
      });
}

FORETASK_MPI(Ialltoall)
(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type, MPI_Comm comm,
 MPI_Request* request) {
  return begin_collective(
      comm, request, FORETASK_COLLECTIVE_ALL, 0, sent_bytes(out, out_count, out_type, in_count, in_type),
      [&] { return FORETASK_REAL(Ialltoall)(out, out_count, out_type, in, in_count, in_type, comm, request); });
}

FORETASK_MPI(Ialltoallv)
(const void* out, const int* out_counts, const int* out_places, MPI_Datatype out_type, void* in, const int* in_counts,
 const int* in_places, MPI_Datatype in_type, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_ALL, 0, 0, [&] {
    return FORETASK_REAL(Ialltoallv)(out, out_counts, out_places, out_type, in, in_counts, in_places, in_type, comm,
                                     request);
  });
}

FORETASK_MPI(Ialltoallw)
(const void* out, const int* out_counts, const int* out_places, const MPI_Datatype* out_types, void* in,
 const int* in_counts, const int* in_places, const MPI_Datatype* in_types, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_ALL, 0, 0, [&] {
    return FORETASK_REAL(Ialltoallw)(out, out_counts, out_places, out_types, in, in_counts, in_places, in_types, comm,
                                     request);
  });
}

FORETASK_MPI(Ireduce_scatter)
(const void* out, void* in, const int* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_ALL, 0, 0,
                          [&] { return FORETASK_REAL(Ireduce_scatter)(out, in, counts, type, op, comm, request); });
}

FORETASK_MPI(Ireduce_scatter_block)
(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_ALL, 0, bytes_of(count, type), [&] {
    return FORETASK_REAL(Ireduce_scatter_block)(out, in, count, type, op, comm, request);
  });
}

FORETASK_MPI(Iscan)
(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_PREFIX, 0, bytes_of(count, type),
                          [&] { return FORETASK_REAL(Iscan)(out, in, count, type, op, comm, request); });
}

FORETASK_MPI(Iexscan)
(const void* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_PREFIX, 0, bytes_of(count, type),
                          [&] { return FORETASK_REAL(Iexscan)(out, in, count, type, op, comm, request); });
}

}  // extern "C"
