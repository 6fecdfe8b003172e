// SPDX-License-Identifier: Apache-2.0
#include "requests.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace foretask::mpi {
namespace {

std::mutex mutex;

// Never destroyed: MPI may be called until the process is gone.
std::unordered_map<MPI_Request, Pending>& table() {
  static auto* const requests = new std::unordered_map<MPI_Request, Pending>;
  return *requests;
}

// What is known of a request that is complete now; a persistent one stays.
Pending take(MPI_Request request) {
  const std::lock_guard lock(mutex);
  const auto found = table().find(request);
  if (found == table().end()) return {};
  if (found->second.persistent) return found->second;
  Pending pending = std::move(found->second);
  table().erase(found);
  return pending;
}

}  // namespace

void keep(MPI_Request request, Pending pending) {
  if (request == MPI_REQUEST_NULL) return;
  const std::lock_guard lock(mutex);
  table()[request] = std::move(pending);
}

void forget(MPI_Request request) {
  const std::lock_guard lock(mutex);
  table().erase(request);
}

void start(Call& call, MPI_Request request) {
  Pending pending;
  {
    const std::lock_guard lock(mutex);
    const auto found = table().find(request);
    if (found == table().end()) return;
    if (found->second.kind == Pending::Kind::kReceive) found->second.posted = next_posting();
    pending = found->second;
  }
  if (pending.kind == Pending::Kind::kSend) call.sent(*pending.communicator, pending.rank, pending.tag, pending.bytes);
}

void Completion::done(Call& call, int index, const MPI_Status& status) const {
  if (index < 0 || static_cast<std::size_t>(index) >= requests_.size()) return;
  const MPI_Request request = requests_[static_cast<std::size_t>(index)];
  if (request == MPI_REQUEST_NULL) return;
  const Pending pending = take(request);
  if (pending.kind == Pending::Kind::kReceive) call.received(*pending.communicator, status, pending.posted);
  if (pending.kind == Pending::Kind::kChild) name_child(*pending.communicator, pending.child, *pending.made);
  call.left(pending.collective);
}

}  // namespace foretask::mpi
