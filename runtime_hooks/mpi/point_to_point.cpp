// SPDX-License-Identifier: Apache-2.0
// MPI's sends and receives, at once, begun for later, and by requests that are used again.
#include "counts.hpp"
#include "requests.hpp"

using namespace foretask::mpi;

namespace {

void send(Call& call, std::int64_t count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  if (!call.is_silent()) call.sent(*communicator_of(comm), dest, tag, bytes_of(count, type));
}

// A nonblocking send's end says nothing: what it sends has left.
int begun(int result, const MPI_Request* request) {
  if (result == MPI_SUCCESS) forget(*request);
  return result;
}

int kept_send(int result, const MPI_Request* request, std::int64_t count, MPI_Datatype type, int dest, int tag,
              MPI_Comm comm) {
  if (result != MPI_SUCCESS || !foretask_is_recording()) return result;
  keep(*request, {.kind = Pending::Kind::kSend,
                  .persistent = true,
                  .communicator = communicator_of(comm),
                  .rank = dest,
                  .tag = tag,
                  .bytes = bytes_of(count, type)});
  return result;
}

}  // namespace

extern "C" {

#define FORETASK_SEND(name)                                                                                    \
  FORETASK_COUNTED(name)(const void* data, Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) { \
    Call call;                                                                                                 \
    send(call, count, type, dest, tag, comm);                                                                  \
    return FORETASK_REAL_COUNTED(name)(data, count, type, dest, tag, comm);                                    \
  }
FORETASK_SEND(Send)
FORETASK_SEND(Ssend)
FORETASK_SEND(Rsend)
FORETASK_SEND(Bsend)

#define FORETASK_BEGIN_SEND(name)                                                                              \
  FORETASK_COUNTED(name)                                                                                       \
  (const void* data, Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) { \
    Call call;                                                                                                 \
    send(call, count, type, dest, tag, comm);                                                                  \
    return begun(FORETASK_REAL_COUNTED(name)(data, count, type, dest, tag, comm, request), request);           \
  }
FORETASK_BEGIN_SEND(Isend)
FORETASK_BEGIN_SEND(Issend)
FORETASK_BEGIN_SEND(Irsend)
FORETASK_BEGIN_SEND(Ibsend)

#define FORETASK_KEEP_SEND(name)                                                                                     \
  FORETASK_COUNTED(name)                                                                                             \
  (const void* data, Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {       \
    return kept_send(FORETASK_REAL_COUNTED(name)(data, count, type, dest, tag, comm, request), request, count, type, \
                     dest, tag, comm);                                                                               \
  }
FORETASK_KEEP_SEND(Send_init)
FORETASK_KEEP_SEND(Ssend_init)
FORETASK_KEEP_SEND(Rsend_init)
FORETASK_KEEP_SEND(Bsend_init)

FORETASK_COUNTED(Recv)
(void* data, Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Call call;
  return receive(call, comm, status, [&](MPI_Status* seen) {
    return FORETASK_REAL_COUNTED(Recv)(data, count, type, source, tag, comm, seen);
  });
}
FORETASK_COUNTED(Irecv)
(void* data, Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  const Call call;
  const int result = FORETASK_REAL_COUNTED(Irecv)(data, count, type, source, tag, comm, request);
  if (result == MPI_SUCCESS && !call.is_silent())
    keep(*request, {.kind = Pending::Kind::kReceive, .communicator = communicator_of(comm), .posted = next_posting()});
  return result;
}
FORETASK_COUNTED(Sendrecv)
(const void* out, Count out_count, MPI_Datatype out_type, int dest, int out_tag, void* in, Count in_count,
 MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status* status) {
  Call call;
  send(call, out_count, out_type, dest, out_tag, comm);
  return receive(call, comm, status, [&](MPI_Status* seen) {
    return FORETASK_REAL_COUNTED(Sendrecv)(out, out_count, out_type, dest, out_tag, in, in_count, in_type, source,
                                           in_tag, comm, seen);
  });
}
FORETASK_COUNTED(Sendrecv_replace)
(void* data, Count count, MPI_Datatype type, int dest, int out_tag, int source, int in_tag, MPI_Comm comm,
 MPI_Status* status) {
  Call call;
  send(call, count, type, dest, out_tag, comm);
  return receive(call, comm, status, [&](MPI_Status* seen) {
    return FORETASK_REAL_COUNTED(Sendrecv_replace)(data, count, type, dest, out_tag, source, in_tag, comm, seen);
  });
}
// A message is matched when it is probed so; the receive that follows takes that one.
FORETASK_COUNTED(Mrecv)(void* data, Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  const Call call;
  return FORETASK_REAL_COUNTED(Mrecv)(data, count, type, message, status);
}
FORETASK_COUNTED(Recv_init)
(void* data, Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  const int result = FORETASK_REAL_COUNTED(Recv_init)(data, count, type, source, tag, comm, request);
  if (result != MPI_SUCCESS || !foretask_is_recording()) return result;
  keep(*request, {.kind = Pending::Kind::kReceive, .persistent = true, .communicator = communicator_of(comm)});
  return result;
}
}  // extern "C"
