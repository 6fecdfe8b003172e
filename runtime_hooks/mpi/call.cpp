// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

#include <atomic>

#include "kit/record.hpp"

namespace foretask::mpi {
namespace {

// A library may build one call of others.
thread_local bool in_call = false;

std::atomic<std::uint32_t> postings{0};

bool is_rank(const Communicator& communicator, int rank) {
  return rank >= 0 && static_cast<std::size_t>(rank) < communicator.members.size();
}

}  // namespace

Call::Call() noexcept {
  if (in_call) return;
  stream_ = foretask_stream_of_thread();
  if (!stream_) return;
  in_call = true;
  foretask_record_block_begin(stream_, FORETASK_BLOCK_MPI);
}

Call::~Call() {
  if (!stream_) return;
  in_call = false;
  foretask_record_block_end(stream_);
}

// To and from MPI_PROC_NULL nothing is sent.
void Call::sent(const Communicator& communicator, int rank, int tag, std::uint64_t bytes) {
  if (!stream_ || !is_rank(communicator, rank)) return;
  const int member = communicator.members[static_cast<std::size_t>(rank)];
  kit::record(stream_, FORETASK_EVENT_MESSAGE_SENT, member, tag, communicator.id, bytes);
}

void Call::received(const Communicator& communicator, const MPI_Status& status, std::uint32_t posted) {
  int cancelled = 0;
  if (!stream_ || !is_rank(communicator, status.MPI_SOURCE)) return;
  if (FORETASK_REAL(Test_cancelled)(&status, &cancelled) == MPI_SUCCESS && cancelled) return;
  MPI_Count count = 0;
  FORETASK_REAL(Get_elements_x)(&status, MPI_BYTE, &count);
  const std::uint64_t bytes = count > 0 ? static_cast<std::uint64_t>(count) : 0;
  const int member = communicator.members[static_cast<std::size_t>(status.MPI_SOURCE)];
  kit::record(stream_, FORETASK_EVENT_MESSAGE_RECEIVED, member, status.MPI_TAG, communicator.id, bytes, posted);
}

Collective Call::entered(MPI_Comm comm, std::uint32_t kind, int root, std::uint64_t bytes) {
  if (!stream_) return {};
  Collective collective{communicator_of(comm), 0};
  Communicator& communicator = *collective.communicator;
  if (communicator.has_two_sides) return {};
  collective.number = communicator.collectives++;
  kit::record(stream_, FORETASK_EVENT_COLLECTIVE_ENTER, communicator.id, collective.number, kind, communicator.own_rank,
              root, communicator.size, bytes);
  return collective;
}

void Call::left(const Collective& collective) {
  if (!stream_ || !collective.communicator) return;
  kit::record(stream_, FORETASK_EVENT_COLLECTIVE_LEAVE, collective.communicator->id, collective.number);
}

std::uint32_t next_posting() noexcept { return postings.fetch_add(1, std::memory_order_relaxed); }

std::uint64_t bytes_of(std::int64_t count, MPI_Datatype type) {
  MPI_Count size = 0;
  if (count <= 0 || type == MPI_DATATYPE_NULL || FORETASK_REAL(Type_size_x)(type, &size) != MPI_SUCCESS || size <= 0)
    return 0;
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}

}  // namespace foretask::mpi
