// SPDX-License-Identifier: Apache-2.0
// What is under way: nonblocking receives and collectives, and persistent requests, from the call that makes them to
// the one that completes them. Any thread; a lock a call.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "call.hpp"

namespace foretask::mpi {

// A request as a completion is to see it.
struct Pending {
  enum class Kind : std::uint8_t { kNothing, kReceive, kSend, kCollective, kChild };
  Kind kind = Kind::kNothing;
  bool persistent = false;                 // kSend or kReceive: begins with MPI_Start, any number of times
  CommunicatorPtr communicator = nullptr;  // of kCollective: in `collective`
  int rank = MPI_PROC_NULL;                // this and the next two: of a persistent send
  int tag = 0;
  std::uint64_t bytes = 0;
  std::uint32_t posted = 0;
  Collective collective = {};      // of kChild as well
  std::uint32_t child = 0;         // of kChild: a communicator that `communicator` ...
  const MPI_Comm* made = nullptr;  // ... is to have, and where it is then
};

void keep(MPI_Request request, Pending pending);
// A request of a kind that needs no memory: what was known by its handle is over.
void forget(MPI_Request request);
// MPI_Start of a persistent request.
void start(Call& call, MPI_Request request);

// The requests of a call that may complete some of them, as they were before it.
class Completion {
 public:
  Completion(int count, const MPI_Request* requests) : requests_(requests, requests + (count > 0 ? count : 0)) {}
  // That at `index` is complete.
  void done(Call& call, int index, const MPI_Status& status) const;

 private:
  std::vector<MPI_Request> requests_;
};

}  // namespace foretask::mpi
