// SPDX-License-Identifier: Apache-2.0
// MPI's sends and receives, at once, begun for later, and by requests that are used again.
#include "requests.hpp"

using foretask::mpi::bytes_of;
using foretask::mpi::Call;
using foretask::mpi::communicator_of;
using foretask::mpi::CommunicatorPtr;
using foretask::mpi::forget;
using foretask::mpi::keep_receive;
using foretask::mpi::next_posting;
using foretask::mpi::Pending;

namespace {

void send(Call& call, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  if (!call.is_silent()) call.sent(*communicator_of(comm), dest, tag, bytes_of(count, type));
}

// A nonblocking send's end says nothing: what it sends has left.
int begun(int result, const MPI_Request* request) {
  if (result == MPI_SUCCESS) forget(*request);
  return result;
}

int kept_send(int result, const MPI_Request* request, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  if (result != MPI_SUCCESS || !foretask_is_recording()) return result;
  Pending pending;
  pending.kind = Pending::Kind::kSend;
  pending.communicator = communicator_of(comm);
  pending.rank = dest;
  pending.tag = tag;
  pending.bytes = bytes_of(count, type);
  keep_persistent(*request, std::move(pending));
  return result;
}

// Where the caller asks for no status the recording does.
class Status {
 public:
  explicit Status(MPI_Status* asked) : status_(asked == MPI_STATUS_IGNORE ? &own_ : asked) {}
  [[nodiscard]] MPI_Status* get() { return status_; }

 private:
  MPI_Status own_{};
  MPI_Status* status_;
};

}  // namespace

extern "C" {

FORETASK_MPI(Send)(const void* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  Call call;
  send(call, count, type, dest, tag, comm);
  return FORETASK_REAL(Send)(data, count, type, dest, tag, comm);
}
FORETASK_MPI(Ssend)(const void* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  Call call;
  send(call, count, type, dest, tag, comm);
  return FORETASK_REAL(Ssend)(data, count, type, dest, tag, comm);
}
FORETASK_MPI(Rsend)(const void* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  Call call;
  send(call, count, type, dest, tag, comm);
  return FORETASK_REAL(Rsend)(data, count, type, dest, tag, comm);
}
FORETASK_MPI(Bsend)(const void* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  Call call;
  send(call, count, type, dest, tag, comm);
  return FORETASK_REAL(Bsend)(data, count, type, dest, tag, comm);
}
FORETASK_MPI(Isend)
(const void* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  Call call;
  send(call, count, type, dest, tag, comm);
  return begun(FORETASK_REAL(Isend)(data, count, type, dest, tag, comm, request), request);
}
FORETASK_MPI(Issend)
(const void* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  Call call;
  send(call, count, type, dest, tag, comm);
  return begun(FORETASK_REAL(Issend)(data, count, type, dest, tag, comm, request), request);
}
FORETASK_MPI(Irsend)
(const void* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  Call call;
  send(call, count, type, dest, tag, comm);
  return begun(FORETASK_REAL(Irsend)(data, count, type, dest, tag, comm, request), request);
}
FORETASK_MPI(Ibsend)
(const void* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  Call call;
  send(call, count, type, dest, tag, comm);
  return begun(FORETASK_REAL(Ibsend)(data, count, type, dest, tag, comm, request), request);
}

FORETASK_MPI(Recv)(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Call call;
  if (call.is_silent()) return FORETASK_REAL(Recv)(data, count, type, source, tag, comm, status);
  const std::uint32_t posted = next_posting();
  Status seen(status);
  const int result = FORETASK_REAL(Recv)(data, count, type, source, tag, comm, seen.get());
  if (result == MPI_SUCCESS) call.received(*communicator_of(comm), *seen.get(), posted);
  return result;
}
FORETASK_MPI(Irecv)
(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  const Call call;
  const int result = FORETASK_REAL(Irecv)(data, count, type, source, tag, comm, request);
  if (result == MPI_SUCCESS && !call.is_silent()) keep_receive(*request, comm);
  return result;
}
FORETASK_MPI(Sendrecv)
(const void* out, int out_count, MPI_Datatype out_type, int dest, int out_tag, void* in, int in_count,
 MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status* status) {
  Call call;
  send(call, out_count, out_type, dest, out_tag, comm);
  const std::uint32_t posted = next_posting();
  Status seen(status);
  const int result = FORETASK_REAL(Sendrecv)(out, out_count, out_type, dest, out_tag, in, in_count, in_type, source,
                                             in_tag, comm, seen.get());
  if (result == MPI_SUCCESS && !call.is_silent()) call.received(*communicator_of(comm), *seen.get(), posted);
  return result;
}
FORETASK_MPI(Sendrecv_replace)
(void* data, int count, MPI_Datatype type, int dest, int out_tag, int source, int in_tag, MPI_Comm comm,
 MPI_Status* status) {
  Call call;
  send(call, count, type, dest, out_tag, comm);
  const std::uint32_t posted = next_posting();
  Status seen(status);
  const int result =
      FORETASK_REAL(Sendrecv_replace)(data, count, type, dest, out_tag, source, in_tag, comm, seen.get());
  if (result == MPI_SUCCESS && !call.is_silent()) call.received(*communicator_of(comm), *seen.get(), posted);
  return result;
}
// A message is matched when it is probed so; the receive that follows takes that one.
FORETASK_MPI(Mrecv)(void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  const Call call;
  return FORETASK_REAL(Mrecv)(data, count, type, message, status);
}
FORETASK_MPI(Mprobe)(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  Call call;
  const std::uint32_t posted = next_posting();
  Status seen(status);
  const int result = FORETASK_REAL(Mprobe)(source, tag, comm, message, seen.get());
  if (result == MPI_SUCCESS && !call.is_silent()) call.received(*communicator_of(comm), *seen.get(), posted);
  return result;
}
FORETASK_MPI(Improbe)(int source, int tag, MPI_Comm comm, int* found, MPI_Message* message, MPI_Status* status) {
  Call call;
  const std::uint32_t posted = next_posting();
  Status seen(status);
  const int result = FORETASK_REAL(Improbe)(source, tag, comm, found, message, seen.get());
  if (result == MPI_SUCCESS && *found && !call.is_silent()) call.received(*communicator_of(comm), *seen.get(), posted);
  return result;
}
FORETASK_MPI(Probe)(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const Call call;
  return FORETASK_REAL(Probe)(source, tag, comm, status);
}
FORETASK_MPI(Iprobe)(int source, int tag, MPI_Comm comm, int* found, MPI_Status* status) {
  const Call call;
  return FORETASK_REAL(Iprobe)(source, tag, comm, found, status);
}

FORETASK_MPI(Send_init)
(const void* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return kept_send(FORETASK_REAL(Send_init)(data, count, type, dest, tag, comm, request), request, count, type, dest,
                   tag, comm);
}
FORETASK_MPI(Ssend_init)
(const void* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return kept_send(FORETASK_REAL(Ssend_init)(data, count, type, dest, tag, comm, request), request, count, type, dest,
                   tag, comm);
}
FORETASK_MPI(Rsend_init)
(const void* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return kept_send(FORETASK_REAL(Rsend_init)(data, count, type, dest, tag, comm, request), request, count, type, dest,
                   tag, comm);
}
FORETASK_MPI(Bsend_init)
(const void* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return kept_send(FORETASK_REAL(Bsend_init)(data, count, type, dest, tag, comm, request), request, count, type, dest,
                   tag, comm);
}
FORETASK_MPI(Recv_init)
(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  const int result = FORETASK_REAL(Recv_init)(data, count, type, source, tag, comm, request);
  if (result != MPI_SUCCESS || !foretask_is_recording()) return result;
  Pending pending;
  pending.kind = Pending::Kind::kReceive;
  pending.communicator = communicator_of(comm);
  keep_persistent(*request, std::move(pending));
  return result;
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

}  // extern "C"
