// SPDX-License-Identifier: Apache-2.0
// What a recording calls a communicator: one number on all of its ranks, and its members' ranks in MPI_COMM_WORLD. Any
// thread; a lookup is a call of MPI_Comm_get_attr.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace foretask::mpi {

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

}  // namespace foretask::mpi
