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

// What a call has completed: so many requests, whose numbers are in `indices`; null: the first ones.
struct Completed {
  int count = 0;
  const int* indices = nullptr;
};

// Runs `function`, MPI's own, on `count` requests with as many statuses as it may complete at once. `completed` says
// afterwards which they were.
template <typename Function, typename Which>
int complete(int count, const MPI_Request* requests, int at_once, MPI_Status* asked, Function&& function,
             Which&& completed) {
  Call call;
  if (call.is_silent()) return function(asked);
  const Completion completion(count, requests);
  Statuses seen(at_once, asked);
  const int result = function(seen.get());
  const Completed done = result == MPI_SUCCESS ? completed() : Completed{};
  for (int i = 0; i < done.count; ++i) completion.done(call, done.indices ? done.indices[i] : i, seen[i]);
  return result;
}

}  // namespace

// Where nothing is complete, counts and indices are 0 or MPI_UNDEFINED, which is negative.
extern "C" {

FORETASK_MPI(Wait)(MPI_Request* request, MPI_Status* status) {
  return complete(
      1, request, 1, status, [&](MPI_Status* seen) { return FORETASK_REAL(Wait)(request, seen); },
      [] { return Completed{1}; });
}

FORETASK_MPI(Waitall)(int count, MPI_Request* requests, MPI_Status* statuses) {
  return complete(
      count, requests, count, statuses, [&](MPI_Status* seen) { return FORETASK_REAL(Waitall)(count, requests, seen); },
      [&] { return Completed{count}; });
}

FORETASK_MPI(Waitany)(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  return complete(
      count, requests, 1, status,
      [&](MPI_Status* seen) { return FORETASK_REAL(Waitany)(count, requests, index, seen); },
      [&] {
        return Completed{1, index};
      });
}

FORETASK_MPI(Waitsome)(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  return complete(
      count, requests, count, statuses,
      [&](MPI_Status* seen) { return FORETASK_REAL(Waitsome)(count, requests, done, indices, seen); },
      [&] {
        return Completed{*done, indices};
      });
}

FORETASK_MPI(Test)(MPI_Request* request, int* flag, MPI_Status* status) {
  return complete(
      1, request, 1, status, [&](MPI_Status* seen) { return FORETASK_REAL(Test)(request, flag, seen); },
      [&] { return Completed{*flag ? 1 : 0}; });
}

FORETASK_MPI(Testall)(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  return complete(
      count, requests, count, statuses,
      [&](MPI_Status* seen) { return FORETASK_REAL(Testall)(count, requests, flag, seen); },
      [&] { return Completed{*flag ? count : 0}; });
}

FORETASK_MPI(Testany)(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  return complete(
      count, requests, 1, status,
      [&](MPI_Status* seen) { return FORETASK_REAL(Testany)(count, requests, index, flag, seen); },
      [&] {
        return Completed{*flag ? 1 : 0, index};
      });
}

FORETASK_MPI(Testsome)(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  return complete(
      count, requests, count, statuses,
      [&](MPI_Status* seen) { return FORETASK_REAL(Testsome)(count, requests, done, indices, seen); },
      [&] {
        return Completed{*done, indices};
      });
}

}  // extern "C"
