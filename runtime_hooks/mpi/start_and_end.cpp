// SPDX-License-Identifier: Apache-2.0
// MPI_Init and MPI_Finalize: the recording begins before the one, and goes on after the other until the program ends.
#include <algorithm>
#include <string>

#include "call.hpp"
#include "foretask/hook.h"

const char* const foretask::kit::runtime_files[] = {"libmpich.so.12", "libmpi.so.12", nullptr};

namespace {

using namespace foretask::mpi;

void start_recording() {
  static std::string version;
  version.resize(MPI_MAX_LIBRARY_VERSION_STRING);  // 8192 bytes of MPICH
  int length = 0;
  FORETASK_REAL(Get_library_version)(version.data(), &length);
  // "Open MPI v4.1.4, package: ...", "MPICH Version:\t4.0.2\nMPICH Release date: ..."
  version.resize(std::min(version.find_first_of(",\n"), static_cast<std::size_t>(length)));
  std::replace(version.begin(), version.end(), '\t', ' ');
  static_cast<void>(foretask_hook_start_as("mpi", version.c_str(), FORETASK_HOOK_OWN_THREADS, 0));
}

void after_init() {
  int rank = 0;
  int ranks = 1;
  FORETASK_REAL(Comm_rank)(MPI_COMM_WORLD, &rank);
  FORETASK_REAL(Comm_size)(MPI_COMM_WORLD, &ranks);
  foretask_hook_set_rank(static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(ranks));
  foretask::mpi::open_communicators();
}

}  // namespace

extern "C" {

FORETASK_MPI(Init)(int* argc, char*** argv) {
  start_recording();
  const Call call;
  const int result = FORETASK_REAL(Init)(argc, argv);
  if (result == MPI_SUCCESS) after_init();
  return result;
}

FORETASK_MPI(Init_thread)(int* argc, char*** argv, int required, int* provided) {
  start_recording();
  const Call call;
  const int result = FORETASK_REAL(Init_thread)(argc, argv, required, provided);
  if (result == MPI_SUCCESS) after_init();
  return result;
}

// No rank is over before all have come here.
FORETASK_MPI(Finalize)() {
  Call call;
  const Collective all = call.entered(MPI_COMM_WORLD, FORETASK_COLLECTIVE_LAST, 0, 0);
  const int result = FORETASK_REAL(Finalize)();
  call.left(all);
  return result;
}

}  // extern "C"
