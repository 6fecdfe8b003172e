// SPDX-License-Identifier: Apache-2.0
// MPI's collectives, each also as a nonblocking one, done when it is waited for. The bytes are what one rank gives each
// other one, or the root; of calls with a count for each rank, 0.
#include "collective.hpp"
#include "counts.hpp"

using namespace foretask::mpi;

// The two functions, called `name` and `begin`. `parameters` are those before the communicator; their names come last.
#define FORETASK_LIST(...) __VA_ARGS__
#define FORETASK_COLLECTIVE(name, begin, kind, root, bytes, parameters, ...)                           \
  FORETASK_COUNTED(name)(FORETASK_LIST parameters, MPI_Comm comm) {                                    \
    return collective(comm, FORETASK_COLLECTIVE_##kind, root, bytes,                                   \
                      [&] { return FORETASK_REAL_COUNTED(name)(__VA_ARGS__, comm); });                 \
  }                                                                                                    \
  FORETASK_COUNTED(begin)(FORETASK_LIST parameters, MPI_Comm comm, MPI_Request * request) {            \
    return begin_collective(comm, request, FORETASK_COLLECTIVE_##kind, root, bytes,                    \
                            [&] { return FORETASK_REAL_COUNTED(begin)(__VA_ARGS__, comm, request); }); \
  }

extern "C" {

FORETASK_COLLECTIVE(Bcast, Ibcast, FROM_ROOT, root, bytes_of(count, type),
                    (void* data, Count count, MPI_Datatype type, int root), data, count, type, root)

FORETASK_COLLECTIVE(Scatter, Iscatter, FROM_ROOT, root, bytes_of_side(in, in_count, in_type, out_count, out_type),
                    (const void* out, Count out_count, MPI_Datatype out_type, void* in, Count in_count,
                     MPI_Datatype in_type, int root),
                    out, out_count, out_type, in, in_count, in_type, root)

FORETASK_COLLECTIVE(Scatterv, Iscatterv, FROM_ROOT, root, in == MPI_IN_PLACE ? 0 : bytes_of(in_count, in_type),
                    (const void* out, const Count* out_counts, const Place* places, MPI_Datatype out_type, void* in,
                     Count in_count, MPI_Datatype in_type, int root),
                    out, out_counts, places, out_type, in, in_count, in_type, root)

FORETASK_COLLECTIVE(Gather, Igather, TO_ROOT, root, bytes_of_side(out, out_count, out_type, in_count, in_type),
                    (const void* out, Count out_count, MPI_Datatype out_type, void* in, Count in_count,
                     MPI_Datatype in_type, int root),
                    out, out_count, out_type, in, in_count, in_type, root)

FORETASK_COLLECTIVE(Gatherv, Igatherv, TO_ROOT, root, out == MPI_IN_PLACE ? 0 : bytes_of(out_count, out_type),
                    (const void* out, Count out_count, MPI_Datatype out_type, void* in, const Count* in_counts,
                     const Place* places, MPI_Datatype in_type, int root),
                    out, out_count, out_type, in, in_counts, places, in_type, root)

FORETASK_COLLECTIVE(Reduce, Ireduce, TO_ROOT, root, bytes_of(count, type),
                    (const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op, int root), out, in, count,
                    type, op, root)

FORETASK_COLLECTIVE(Allreduce, Iallreduce, ALL, 0, bytes_of(count, type),
                    (const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op), out, in, count, type, op)

FORETASK_COLLECTIVE(Allgather, Iallgather, ALL, 0, bytes_of_side(out, out_count, out_type, in_count, in_type),
                    (const void* out, Count out_count, MPI_Datatype out_type, void* in, Count in_count,
                     MPI_Datatype in_type),
                    out, out_count, out_type, in, in_count, in_type)

FORETASK_COLLECTIVE(Allgatherv, Iallgatherv, ALL, 0, out == MPI_IN_PLACE ? 0 : bytes_of(out_count, out_type),
                    (const void* out, Count out_count, MPI_Datatype out_type, void* in, const Count* in_counts,
                     const Place* places, MPI_Datatype in_type),
                    out, out_count, out_type, in, in_counts, places, in_type)

FORETASK_COLLECTIVE(Alltoall, Ialltoall, ALL, 0, bytes_of_side(out, out_count, out_type, in_count, in_type),
                    (const void* out, Count out_count, MPI_Datatype out_type, void* in, Count in_count,
                     MPI_Datatype in_type),
                    out, out_count, out_type, in, in_count, in_type)

FORETASK_COLLECTIVE(Alltoallv, Ialltoallv, ALL, 0, 0,
                    (const void* out, const Count* out_counts, const Place* out_places, MPI_Datatype out_type, void* in,
                     const Count* in_counts, const Place* in_places, MPI_Datatype in_type),
                    out, out_counts, out_places, out_type, in, in_counts, in_places, in_type)

FORETASK_COLLECTIVE(Alltoallw, Ialltoallw, ALL, 0, 0,
                    (const void* out, const Count* out_counts, const Place* out_places, const MPI_Datatype* out_types,
                     void* in, const Count* in_counts, const Place* in_places, const MPI_Datatype* in_types),
                    out, out_counts, out_places, out_types, in, in_counts, in_places, in_types)

FORETASK_COLLECTIVE(Reduce_scatter, Ireduce_scatter, ALL, 0, 0,
                    (const void* out, void* in, const Count* counts, MPI_Datatype type, MPI_Op op), out, in, counts,
                    type, op)

FORETASK_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, ALL, 0, bytes_of(count, type),
                    (const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op), out, in, count, type, op)

FORETASK_COLLECTIVE(Scan, Iscan, PREFIX, 0, bytes_of(count, type),
                    (const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op), out, in, count, type, op)

FORETASK_COLLECTIVE(Exscan, Iexscan, PREFIX, 0, bytes_of(count, type),
                    (const void* out, void* in, Count count, MPI_Datatype type, MPI_Op op), out, in, count, type, op)

}  // extern "C"
