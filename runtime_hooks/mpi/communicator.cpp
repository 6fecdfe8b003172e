// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <numeric>
#include <unordered_map>

#include "call.hpp"

namespace foretask::mpi {
namespace {

constexpr std::uint64_t kWorld = 1;

int keyval = MPI_KEYVAL_INVALID;

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t z = seed + 0x9e3779b97f4a7c15U + value;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

int forget(MPI_Comm, int, void* value, void*) {
  delete static_cast<CommunicatorPtr*>(value);
  return MPI_SUCCESS;
}

std::vector<int> world_ranks(MPI_Group group) {
  int size = 0;
  FORETASK_REAL(Group_size)(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> found(ranks.size(), MPI_UNDEFINED);
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group world = MPI_GROUP_NULL;
  FORETASK_REAL(Comm_group)(MPI_COMM_WORLD, &world);
  if (size > 0) FORETASK_REAL(Group_translate_ranks)(group, size, ranks.data(), world, found.data());
  FORETASK_REAL(Group_free)(&world);
  return found;
}

CommunicatorPtr described(MPI_Comm comm) {
  auto result = std::make_shared<Communicator>();
  int rank = 0;
  FORETASK_REAL(Comm_rank)(comm, &rank);
  int has_two_sides = 0;
  FORETASK_REAL(Comm_test_inter)(comm, &has_two_sides);
  result->has_two_sides = has_two_sides != 0;
  MPI_Group group = MPI_GROUP_NULL;
  if (has_two_sides)
    FORETASK_REAL(Comm_remote_group)(comm, &group);
  else
    FORETASK_REAL(Comm_group)(comm, &group);
  result->members = world_ranks(group);
  FORETASK_REAL(Group_free)(&group);
  result->own_rank = static_cast<std::uint32_t>(rank);
  result->size = static_cast<std::uint32_t>(result->members.size());
  // Both sides of a communicator of two call it the same.
  std::uint64_t sum = 0;
  for (const int member : result->members) sum += mixed(2, static_cast<std::uint64_t>(member));
  if (has_two_sides) {
    MPI_Group own = MPI_GROUP_NULL;
    FORETASK_REAL(Comm_group)(comm, &own);
    for (const int member : world_ranks(own)) sum += mixed(2, static_cast<std::uint64_t>(member));
    FORETASK_REAL(Group_free)(&own);
  }
  result->id = mixed(3, sum);
  return result;
}

CommunicatorPtr keep(MPI_Comm comm, CommunicatorPtr communicator) {
  FORETASK_REAL(Comm_set_attr)(comm, keyval, new CommunicatorPtr(communicator));
  return communicator;
}

}  // namespace

void open_communicators() {
  FORETASK_REAL(Comm_create_keyval)(MPI_COMM_NULL_COPY_FN, forget, &keyval, nullptr);
  CommunicatorPtr world = described(MPI_COMM_WORLD);
  world->id = kWorld;
  keep(MPI_COMM_WORLD, std::move(world));
}

CommunicatorPtr communicator_of(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  FORETASK_REAL(Comm_get_attr)(comm, keyval, &value, &found);
  return found ? *static_cast<CommunicatorPtr*>(value) : keep(comm, described(comm));
}

std::uint32_t next_child(Communicator& parent) { return ++parent.children; }

void name_child(const Communicator& parent, std::uint32_t child, MPI_Comm made) {
  if (made == MPI_COMM_NULL) return;
  CommunicatorPtr communicator = described(made);
  communicator->id = mixed(mixed(parent.id, child), communicator->id);
  keep(made, std::move(communicator));
}

void name_by_members(MPI_Comm made, int tag) {
  static std::mutex mutex;
  // Never destroyed: MPI may be called until the process is gone.
  static auto* const made_before = new std::unordered_map<std::uint64_t, std::uint64_t>;
  if (made == MPI_COMM_NULL) return;
  CommunicatorPtr communicator = described(made);
  communicator->id = mixed(mixed(4, communicator->id), static_cast<std::uint32_t>(tag));
  {
    const std::lock_guard lock(mutex);
    communicator->id = mixed(communicator->id, (*made_before)[communicator->id]++);
  }
  keep(made, std::move(communicator));
}

}  // namespace foretask::mpi
