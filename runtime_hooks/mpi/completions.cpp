// SPDX-License-Identifier: Apache-2.0
// MPI's waits and tests: what they complete has arrived.
#include <vector>

#include "requests.hpp"

using foretask::mpi::Call;
using foretask::mpi::Completion;

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

}  // namespace

extern "C" {

FORETASK_MPI(Wait)(MPI_Request* request, MPI_Status* status) {
  Call call;
  if (call.is_silent()) return FORETASK_REAL(Wait)(request, status);
  const Completion completion(1, request);
  Statuses seen(1, status);
  const int result = FORETASK_REAL(Wait)(request, seen.get());
  if (result == MPI_SUCCESS) completion.done(call, 0, seen[0]);
  return result;
}

FORETASK_MPI(Waitall)(int count, MPI_Request* requests, MPI_Status* statuses) {
  Call call;
  if (call.is_silent()) return FORETASK_REAL(Waitall)(count, requests, statuses);
  const Completion completion(count, requests);
  Statuses seen(count, statuses);
  const int result = FORETASK_REAL(Waitall)(count, requests, seen.get());
  for (int i = 0; result == MPI_SUCCESS && i < count; ++i) completion.done(call, i, seen[i]);
  return result;
}

FORETASK_MPI(Waitany)(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  Call call;
  if (call.is_silent()) return FORETASK_REAL(Waitany)(count, requests, index, status);
  const Completion completion(count, requests);
  Statuses seen(1, status);
  const int result = FORETASK_REAL(Waitany)(count, requests, index, seen.get());
  if (result == MPI_SUCCESS && *index != MPI_UNDEFINED) completion.done(call, *index, seen[0]);
  return result;
}

FORETASK_MPI(Waitsome)(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  Call call;
  if (call.is_silent()) return FORETASK_REAL(Waitsome)(count, requests, done, indices, statuses);
  const Completion completion(count, requests);
  Statuses seen(count, statuses);
  const int result = FORETASK_REAL(Waitsome)(count, requests, done, indices, seen.get());
  if (result != MPI_SUCCESS || *done == MPI_UNDEFINED) return result;
  for (int i = 0; i < *done; ++i) completion.done(call, indices[i], seen[i]);
  return result;
}

FORETASK_MPI(Test)(MPI_Request* request, int* flag, MPI_Status* status) {
  Call call;
  if (call.is_silent()) return FORETASK_REAL(Test)(request, flag, status);
  const Completion completion(1, request);
  Statuses seen(1, status);
  const int result = FORETASK_REAL(Test)(request, flag, seen.get());
  if (result == MPI_SUCCESS && *flag) completion.done(call, 0, seen[0]);
  return result;
}

FORETASK_MPI(Testall)(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  Call call;
  if (call.is_silent()) return FORETASK_REAL(Testall)(count, requests, flag, statuses);
  const Completion completion(count, requests);
  Statuses seen(count, statuses);
  const int result = FORETASK_REAL(Testall)(count, requests, flag, seen.get());
  for (int i = 0; result == MPI_SUCCESS && *flag && i < count; ++i) completion.done(call, i, seen[i]);
  return result;
}

FORETASK_MPI(Testany)(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  Call call;
  if (call.is_silent()) return FORETASK_REAL(Testany)(count, requests, index, flag, status);
  const Completion completion(count, requests);
  Statuses seen(1, status);
  const int result = FORETASK_REAL(Testany)(count, requests, index, flag, seen.get());
  if (result == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED) completion.done(call, *index, seen[0]);
  return result;
}

FORETASK_MPI(Testsome)(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  Call call;
  if (call.is_silent()) return FORETASK_REAL(Testsome)(count, requests, done, indices, statuses);
  const Completion completion(count, requests);
  Statuses seen(count, statuses);
  const int result = FORETASK_REAL(Testsome)(count, requests, done, indices, seen.get());
  if (result != MPI_SUCCESS || *done == MPI_UNDEFINED) return result;
  for (int i = 0; i < *done; ++i) completion.done(call, indices[i], seen[i]);
  return result;
}

}  // extern "C"
