// SPDX-License-Identifier: Apache-2.0
// MPI's calls on messages and collectives that count no elements: probes, starts and barriers.
#include "collective.hpp"

using namespace foretask::mpi;

extern "C" {

FORETASK_MPI(Mprobe)(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  Call call;
  return receive(call, comm, status,
                 [&](MPI_Status* seen) { return FORETASK_REAL(Mprobe)(source, tag, comm, message, seen); });
}
FORETASK_MPI(Improbe)(int source, int tag, MPI_Comm comm, int* found, MPI_Message* message, MPI_Status* status) {
  Call call;
  const auto probe = [&](MPI_Status* seen) { return FORETASK_REAL(Improbe)(source, tag, comm, found, message, seen); };
  return receive(call, comm, status, probe, found);
}
FORETASK_MPI(Probe)(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const Call call;
  return FORETASK_REAL(Probe)(source, tag, comm, status);
}
FORETASK_MPI(Iprobe)(int source, int tag, MPI_Comm comm, int* found, MPI_Status* status) {
  const Call call;
  return FORETASK_REAL(Iprobe)(source, tag, comm, found, status);
}

FORETASK_MPI(Start)(MPI_Request* request) {
  Call call;
  start(call, *request);
  return FORETASK_REAL(Start)(request);
}
FORETASK_MPI(Startall)(int count, MPI_Request* requests) {
  Call call;
  for (int i = 0; i < count; ++i) start(call, requests[i]);
  return FORETASK_REAL(Startall)(count, requests);
}
FORETASK_MPI(Request_free)(MPI_Request* request) {
  forget(*request);
  return FORETASK_REAL(Request_free)(request);
}

FORETASK_MPI(Barrier)(MPI_Comm comm) {
  return collective(comm, FORETASK_COLLECTIVE_ALL, 0, 0, [&] { return FORETASK_REAL(Barrier)(comm); });
}
FORETASK_MPI(Ibarrier)(MPI_Comm comm, MPI_Request* request) {
  return begin_collective(comm, request, FORETASK_COLLECTIVE_ALL, 0, 0,
                          [&] { return FORETASK_REAL(Ibarrier)(comm, request); });
}

}  // extern "C"
