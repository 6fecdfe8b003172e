// SPDX-License-Identifier: Apache-2.0
// How every collective call is recorded: this rank comes to it, and leaves it when what it waits for has come.
#pragma once

#include <utility>

#include "requests.hpp"

namespace foretask::mpi {

// Runs `function`, MPI's own, as a collective call on `comm`.
template <typename Function>
int collective(MPI_Comm comm, std::uint32_t kind, int root, std::uint64_t bytes, Function&& function) {
  Call call;
  const Collective one = call.entered(comm, kind, root, bytes);
  const int result = function();
  if (result == MPI_SUCCESS) call.left(one);
  return result;
}

// The same of a nonblocking one, which is left when `request` is complete.
template <typename Function>
int begin_collective(MPI_Comm comm, MPI_Request* request, std::uint32_t kind, int root, std::uint64_t bytes,
                     Function&& function) {
  Call call;
  Collective one = call.entered(comm, kind, root, bytes);
  const int result = function();
  if (result == MPI_SUCCESS && one.communicator)
    keep(*request, {.kind = Pending::Kind::kCollective, .collective = std::move(one)});
  return result;
}

// What a rank gives, or gets; where it works in place the other side's count says it.
inline std::uint64_t bytes_of_side(const void* data, std::int64_t count, MPI_Datatype type, std::int64_t other_count,
                                   MPI_Datatype other_type) {
  return data == MPI_IN_PLACE ? bytes_of(other_count, other_type) : bytes_of(count, type);
}

}  // namespace foretask::mpi
