// SPDX-License-Identifier: Apache-2.0
// MPI's waits and tests: what they complete has arrived.
#include <vector>

#include "requests.hpp"

using namespace foretask::mpi;

namespace {

// Where the caller asks for no statuses the recording does.
class Statuses {
 public:
  Statuses(int count, MPI_Status* asked) : status_(asked) {
    if (asked != MPI_STATUSES_IGNORE) return;
    own_.resize(static_cast<std::size_t>(count > 0 ? count : 0) + 1);
    status_ = own_.data();
  }
  [[nodiscard]] MPI_Status* get() { return status_; }
  [[nodiscard]] const MPI_Status& operator[](int index) const { return status_[index]; }

 private:
  std::vector<MPI_Status> own_;
  MPI_Status* status_;
};

// The requests that a call may complete, and what tells afterwards which of them it has.
struct Requests {
  int count;
  const MPI_Request* all;
  int at_once;                   // statuses, and so the most that are completed
  const int* done = nullptr;     // how many; null: as many as there may be ...
  const int* flag = nullptr;     // ... or none, where this is 0
  const int* indices = nullptr;  // their numbers; null: the first ones
};

// Runs `function`, MPI's own, with the statuses to ask it for.
template <typename Function>
int complete(const Requests& requests, MPI_Status* asked, Function&& function) {
  Call call;
  if (call.is_silent()) return function(asked);
  const Completion completion(requests.count, requests.all);
  Statuses seen(requests.at_once, asked);
  const int result = function(seen.get());
  if (result != MPI_SUCCESS || (requests.flag && !*requests.flag)) return result;
  const int count = requests.done ? *requests.done : requests.at_once;
  for (int i = 0; i < count; ++i) completion.done(call, requests.indices ? requests.indices[i] : i, seen[i]);
  return result;
}

}  // namespace

// Where nothing is complete, counts and indices are 0 or MPI_UNDEFINED, which is negative.
extern "C" {

FORETASK_MPI(Wait)(MPI_Request* request, MPI_Status* status) {
  return complete({1, request, 1}, status, [&](MPI_Status* seen) { return FORETASK_REAL(Wait)(request, seen); });
}

FORETASK_MPI(Waitall)(int count, MPI_Request* requests, MPI_Status* statuses) {
  return complete({count, requests, count}, statuses,
                  [&](MPI_Status* seen) { return FORETASK_REAL(Waitall)(count, requests, seen); });
}

FORETASK_MPI(Waitany)(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  return complete({.count = count, .all = requests, .at_once = 1, .indices = index}, status,
                  [&](MPI_Status* seen) { return FORETASK_REAL(Waitany)(count, requests, index, seen); });
}

FORETASK_MPI(Waitsome)(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  return complete({.count = count, .all = requests, .at_once = count, .done = done, .indices = indices}, statuses,
                  [&](MPI_Status* seen) { return FORETASK_REAL(Waitsome)(count, requests, done, indices, seen); });
}

FORETASK_MPI(Test)(MPI_Request* request, int* flag, MPI_Status* status) {
  return complete({.count = 1, .all = request, .at_once = 1, .flag = flag}, status,
                  [&](MPI_Status* seen) { return FORETASK_REAL(Test)(request, flag, seen); });
}

FORETASK_MPI(Testall)(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  return complete({.count = count, .all = requests, .at_once = count, .flag = flag}, statuses,
                  [&](MPI_Status* seen) { return FORETASK_REAL(Testall)(count, requests, flag, seen); });
}

FORETASK_MPI(Testany)(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  return complete({.count = count, .all = requests, .at_once = 1, .flag = flag, .indices = index}, status,
                  [&](MPI_Status* seen) { return FORETASK_REAL(Testany)(count, requests, index, flag, seen); });
}

FORETASK_MPI(Testsome)(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  return complete({.count = count, .all = requests, .at_once = count, .done = done, .indices = indices}, statuses,
                  [&](MPI_Status* seen) { return FORETASK_REAL(Testsome)(count, requests, done, indices, seen); });
}

}  // extern "C"
