// SPDX-License-Identifier: Apache-2.0
// HOT: a call into MPI, and what a recording takes down of it. Between its beginning and its end the running task's
// time is not its own. On the calling thread's stream; nothing where nothing is recorded.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "foretask/hook.h"
#include "kit/next_function.hpp"

// A function of MPI is defined under both of its names. C programs, and MPICH's Fortran interfaces (mpif.h, mpi and
// mpi_f08), call MPI_Send(). Open MPI's Fortran interfaces and other tools call PMPI_Send().
// The head of the definition of MPI_Send(), for `name` Send: FORETASK_MPI(Send)(const void* data, ...) { ... }
#define FORETASK_MPI(name)                                                             \
  FORETASK_API decltype(PMPI_##name) PMPI_##name __attribute__((alias("MPI_" #name))); \
  FORETASK_API int MPI_##name

// MPI's own function. No function of MPI is called in another way: the hook of MPICH's ABI is linked with no MPI, so
// that it starts in programs that load none.
#define FORETASK_REAL(name) FORETASK_NEXT(PMPI_##name)

namespace foretask::mpi {

// What a recording calls a communicator: one number on all of its ranks, and its members' ranks in MPI_COMM_WORLD. Any
// thread; a lookup is a call of MPI_Comm_get_attr.
struct Communicator {
  std::uint64_t id = 0;
  std::uint32_t own_rank = 0;
  std::uint32_t size = 1;
  bool has_two_sides = false;                 // an inter-communicator
  std::vector<int> members;                   // their ranks in MPI_COMM_WORLD: of the other side, where there are two
  std::atomic<std::uint32_t> collectives{0};  // calls so far, which come in one order on all ranks
  std::atomic<std::uint32_t> children{0};     // communicators made of it, likewise
};
using CommunicatorPtr = std::shared_ptr<Communicator>;

// After MPI_Init.
void open_communicators();

// Never null between MPI_Init and MPI_Finalize. One that was made in a way that is not followed is known by its members
// alone.
[[nodiscard]] CommunicatorPtr communicator_of(MPI_Comm comm);

// All of `parent`'s ranks make a communicator: which one of its children.
[[nodiscard]] std::uint32_t next_child(Communicator& parent);
// `made` is that child, and can be used from now on.
void name_child(const Communicator& parent, std::uint32_t child, MPI_Comm made);

// `made` has just been made by its members alone, who came to that in one order.
void name_by_members(MPI_Comm made, int tag);

// A collective call: which one of its communicator, for its end.
struct Collective {
  CommunicatorPtr communicator;
  std::uint32_t number = 0;
};

class Call {
 public:
  Call() noexcept;
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Nothing is recorded, or another call of this thread is under way, of which this one is a part.
  [[nodiscard]] bool is_silent() const noexcept { return stream_ == nullptr; }

  // A message leaves for `rank` of `comm`.
  void sent(const Communicator& communicator, int rank, int tag, std::uint64_t bytes);
  // One has come, as `status` says of it. `posted`: next_posting() when the receive began.
  void received(const Communicator& communicator, const MPI_Status& status, std::uint32_t posted);

  // This rank's part in a collective call begins; `kind` is foretask_collective's. Of two sides nothing is recorded:
  // each waits for the other's ranks alone.
  [[nodiscard]] Collective entered(MPI_Comm comm, std::uint32_t kind, int root, std::uint64_t bytes);
  void left(const Collective& collective);

 private:
  foretask_stream* stream_ = nullptr;
};

// Receives are matched in the order in which they are posted.
[[nodiscard]] std::uint32_t next_posting() noexcept;

// Runs `function`, MPI's own, that receives a message of `comm` during `call`, with the status to ask it for. `found`,
// where there is one, says afterwards whether a message has come.
template <typename Function>
int receive(Call& call, MPI_Comm comm, MPI_Status* asked, Function&& function, const int* found = nullptr) {
  if (call.is_silent()) return function(asked);
  const std::uint32_t posted = next_posting();
  MPI_Status own{};
  MPI_Status* const seen = asked == MPI_STATUS_IGNORE ? &own : asked;
  const int result = function(seen);
  if (result == MPI_SUCCESS && (found == nullptr || *found)) call.received(*communicator_of(comm), *seen, posted);
  return result;
}

// Of `count` elements.
[[nodiscard]] std::uint64_t bytes_of(std::int64_t count, MPI_Datatype type);

}  // namespace foretask::mpi
