// SPDX-License-Identifier: Apache-2.0
// The calls that make communicators: all ranks of the old one, or all of the new one, come to them in one order, and
// give the new one the same name.
#include <utility>

#include "collective.hpp"

using namespace foretask::mpi;

namespace {

template <typename Function>
int make(MPI_Comm parent, const MPI_Comm* made, Function&& function) {
  Call call;
  const Collective all = call.entered(parent, FORETASK_COLLECTIVE_ALL, 0, 0);
  const int result = function();
  if (result != MPI_SUCCESS || call.is_silent()) return result;
  Communicator& old = *communicator_of(parent);
  name_child(old, next_child(old), *made);
  call.left(all);
  return result;
}

template <typename Function>
int make_alone(const MPI_Comm* made, int tag, Function&& function) {
  const Call call;
  const int result = function();
  if (result == MPI_SUCCESS && !call.is_silent()) name_by_members(*made, tag);
  return result;
}

}  // namespace

extern "C" {

FORETASK_MPI(Comm_dup)(MPI_Comm comm, MPI_Comm* made) {
  return make(comm, made, [&] { return FORETASK_REAL(Comm_dup)(comm, made); });
}
FORETASK_MPI(Comm_dup_with_info)(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
  return make(comm, made, [&] { return FORETASK_REAL(Comm_dup_with_info)(comm, info, made); });
}
FORETASK_MPI(Comm_split)(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return make(comm, made, [&] { return FORETASK_REAL(Comm_split)(comm, color, key, made); });
}
FORETASK_MPI(Comm_split_type)(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  return make(comm, made, [&] { return FORETASK_REAL(Comm_split_type)(comm, type, key, info, made); });
}
FORETASK_MPI(Comm_create)(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  return make(comm, made, [&] { return FORETASK_REAL(Comm_create)(comm, group, made); });
}
FORETASK_MPI(Cart_create)
(MPI_Comm comm, int dimensions, const int* sizes, const int* periods, int reorder, MPI_Comm* made) {
  return make(comm, made, [&] { return FORETASK_REAL(Cart_create)(comm, dimensions, sizes, periods, reorder, made); });
}
FORETASK_MPI(Cart_sub)(MPI_Comm comm, const int* kept, MPI_Comm* made) {
  return make(comm, made, [&] { return FORETASK_REAL(Cart_sub)(comm, kept, made); });
}
FORETASK_MPI(Graph_create)(MPI_Comm comm, int nodes, const int* index, const int* edges, int reorder, MPI_Comm* made) {
  return make(comm, made, [&] { return FORETASK_REAL(Graph_create)(comm, nodes, index, edges, reorder, made); });
}
FORETASK_MPI(Dist_graph_create)
(MPI_Comm comm, int count, const int* sources, const int* degrees, const int* destinations, const int* weights,
 MPI_Info info, int reorder, MPI_Comm* made) {
  return make(comm, made, [&] {
    return FORETASK_REAL(Dist_graph_create)(comm, count, sources, degrees, destinations, weights, info, reorder, made);
  });
}
FORETASK_MPI(Dist_graph_create_adjacent)
(MPI_Comm comm, int sources_count, const int* sources, const int* source_weights, int destinations_count,
 const int* destinations, const int* destination_weights, MPI_Info info, int reorder, MPI_Comm* made) {
  return make(comm, made, [&] {
    return FORETASK_REAL(Dist_graph_create_adjacent)(comm, sources_count, sources, source_weights, destinations_count,
                                                     destinations, destination_weights, info, reorder, made);
  });
}

// Its place among the parent's children is that of the call; it can be looked at when the request is complete.
FORETASK_MPI(Comm_idup)(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
  Call call;
  Collective all = call.entered(comm, FORETASK_COLLECTIVE_ALL, 0, 0);
  const int result = FORETASK_REAL(Comm_idup)(comm, made, request);
  if (result != MPI_SUCCESS || call.is_silent()) return result;
  const CommunicatorPtr parent = communicator_of(comm);
  keep(*request, {.kind = Pending::Kind::kChild,
                  .communicator = parent,
                  .collective = std::move(all),
                  .child = next_child(*parent),
                  .made = made});
  return result;
}

FORETASK_MPI(Comm_create_group)(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
  return make_alone(made, tag, [&] { return FORETASK_REAL(Comm_create_group)(comm, group, tag, made); });
}
FORETASK_MPI(Intercomm_create)
(MPI_Comm own, int own_leader, MPI_Comm peers, int other_leader, int tag, MPI_Comm* made) {
  return make_alone(made, tag,
                    [&] { return FORETASK_REAL(Intercomm_create)(own, own_leader, peers, other_leader, tag, made); });
}
FORETASK_MPI(Intercomm_merge)(MPI_Comm comm, int high, MPI_Comm* made) {
  return make_alone(made, 0, [&] { return FORETASK_REAL(Intercomm_merge)(comm, high, made); });
}

}  // extern "C"
