// SPDX-License-Identifier: Apache-2.0
// MPI's nonblocking collectives, done when they are waited for. The bytes are what one rank gives each other one, or
// the root; of calls with a count for each rank, 0.
#include "collective.hpp"
#include "counts.hpp"

using foretask::mpi::begin_collective;
using foretask::mpi::bytes_of;
using foretask::mpi::received_bytes;
using foretask::mpi::sent_bytes;

extern "C" {

FORETASK_COUNTED(Ibcast)(void* data, Count count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_FROM_ROOT, root, bytes_of(count, type),
                          [&] { return FORETASK_REAL_COUNTED(Ibcast)(data, count, type, root, comm, request); });
}

FORETASK_COUNTED(Iscatter)
(const void* out, Count out_count, MPI_Datatype out_type, void* in, Count in_count, MPI_Datatype in_type, int root,
 MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_FROM_ROOT, root,
                          received_bytes(in, in_count, in_type, out_count, out_type), [&] {
                            return FORETASK_REAL_COUNTED(Iscatter)(out, out_count, out_type, in, in_count, in_type,
                                                                   root, comm, request);
                          });
}

FORETASK_COUNTED(Iscatterv)
(const void* out, const Count* out_counts, const Place* places, MPI_Datatype out_type, void* in, Count in_count,
 MPI_Datatype in_type, int root, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_FROM_ROOT, root,
                          in == MPI_IN_PLACE ? 0 : bytes_of(in_count, in_type), [&] {
                            return FORETASK_REAL_COUNTED(Iscatterv)(out, out_counts, places, out_type, in, in_count,
                                                                    in_type, root, comm, request);
                          });
}

FORETASK_COUNTED(Igather)
(const void* out, Count out_count, MPI_Datatype out_type, void* in, Count in_count, MPI_Datatype in_type, int root,
 MPI_Comm comm, MPI_Request* request) {
  return begin_collective(
      comm, request, FORETASK_COLLECTIVE_TO_ROOT, root, sent_bytes(out, out_count, out_type, in_count, in_type), [&] {
        return FORETASK_REAL_COUNTED(Igather)(out, out_count, out_type, in, in_count, in_type, root, comm, request);
      });
}

FORETASK_COUNTED(Igatherv)
(const void* out, Count out_count, MPI_Datatype out_type, void* in, const Count* in_counts, const Place* places,
 MPI_Datatype in_type, int root, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_TO_ROOT, root,
                          out == MPI_IN_PLACE ? 0 : bytes_of(out_count, out_type), [&] {
                            return FORETASK_REAL_COUNTED(Igatherv)(out, out_count, out_type, in, in_counts, places,
                                                                   in_type, root, comm, request);
                          });
}

FORETASK_COUNTED(Ireduce)
(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_TO_ROOT, root, bytes_of(count, type), [&] {
    return FORETASK_REAL_COUNTED(Ireduce)(out, in, count, type, op, root, comm, request);
  });
}

FORETASK_COUNTED(Iallreduce)
(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_ALL, 0, bytes_of(count, type),
                          [&] { return FORETASK_REAL_COUNTED(Iallreduce)(out, in, count, type, op, comm, request); });
}

FORETASK_COUNTED(Iallgather)
(const void* out, Count out_count, MPI_Datatype out_type, void* in, Count in_count, MPI_Datatype in_type, MPI_Comm comm,
 MPI_Request* request) {
  return begin_collective(
      comm, request, FORETASK_COLLECTIVE_ALL, 0, sent_bytes(out, out_count, out_type, in_count, in_type), [&] {
        return FORETASK_REAL_COUNTED(Iallgather)(out, out_count, out_type, in, in_count, in_type, comm, request);
      });
}

FORETASK_COUNTED(Iallgatherv)
(const void* out, Count out_count, MPI_Datatype out_type, void* in, const Count* in_counts, const Place* places,
 MPI_Datatype in_type, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_ALL, 0,
                          out == MPI_IN_PLACE ? 0 : bytes_of(out_count, out_type), [&] {
                            return FORETASK_REAL_COUNTED(Iallgatherv)(out, out_count, out_type, in, in_counts, places,
                                                                      in_type, comm, request);
                          });
}

FORETASK_COUNTED(Ialltoall)
(const void* out, Count out_count, MPI_Datatype out_type, void* in, Count in_count, MPI_Datatype in_type, MPI_Comm comm,
 MPI_Request* request) {
  return begin_collective(
      comm, request, FORETASK_COLLECTIVE_ALL, 0, sent_bytes(out, out_count, out_type, in_count, in_type),
      [&] { return FORETASK_REAL_COUNTED(Ialltoall)(out, out_count, out_type, in, in_count, in_type, comm, request); });
}

FORETASK_COUNTED(Ialltoallv)
(const void* out, const Count* out_counts, const Place* out_places, MPI_Datatype out_type, void* in,
 const Count* in_counts, const Place* in_places, MPI_Datatype in_type, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_ALL, 0, 0, [&] {
    return FORETASK_REAL_COUNTED(Ialltoallv)(out, out_counts, out_places, out_type, in, in_counts, in_places, in_type,
                                             comm, request);
  });
}

FORETASK_COUNTED(Ialltoallw)
(const void* out, const Count* out_counts, const Place* out_places, const MPI_Datatype* out_types, void* in,
 const Count* in_counts, const Place* in_places, const MPI_Datatype* in_types, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_ALL, 0, 0, [&] {
    return FORETASK_REAL_COUNTED(Ialltoallw)(out, out_counts, out_places, out_types, in, in_counts, in_places, in_types,
                                             comm, request);
  });
}

FORETASK_COUNTED(Ireduce_scatter)
(const void* out, void* in, const Count* counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_ALL, 0, 0, [&] {
    return FORETASK_REAL_COUNTED(Ireduce_scatter)(out, in, counts, type, op, comm, request);
  });
}

FORETASK_COUNTED(Ireduce_scatter_block)
(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_ALL, 0, bytes_of(count, type), [&] {
    return FORETASK_REAL_COUNTED(Ireduce_scatter_block)(out, in, count, type, op, comm, request);
  });
}

FORETASK_COUNTED(Iscan)
(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_PREFIX, 0, bytes_of(count, type),
                          [&] { return FORETASK_REAL_COUNTED(Iscan)(out, in, count, type, op, comm, request); });
}

FORETASK_COUNTED(Iexscan)
(const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_PREFIX, 0, bytes_of(count, type),
                          [&] { return FORETASK_REAL_COUNTED(Iexscan)(out, in, count, type, op, comm, request); });
}

}  // extern "C"
