// SPDX-License-Identifier: Apache-2.0
// HOT: a call into MPI, and what a recording takes down of it. Between its beginning and its end the running task's
// time is not its own. On the calling thread's stream; nothing where nothing is recorded.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "both_names.hpp"
#include "communicator.hpp"
#include "foretask/hook.h"

namespace foretask::mpi {

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

// The status to ask MPI for: the caller's, or one of its own where the caller wants none.
class Status {
 public:
  explicit Status(MPI_Status* asked) : status_(asked == MPI_STATUS_IGNORE ? &own_ : asked) {}
  [[nodiscard]] MPI_Status* get() { return status_; }

 private:
  MPI_Status own_{};
  MPI_Status* status_;
};

// Receives are matched in the order in which they are posted.
[[nodiscard]] std::uint32_t next_posting() noexcept;

// Of `count` elements.
[[nodiscard]] std::uint64_t bytes_of(std::int64_t count, MPI_Datatype type);

}  // namespace foretask::mpi
