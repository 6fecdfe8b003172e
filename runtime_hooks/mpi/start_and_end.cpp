// SPDX-License-Identifier: Apache-2.0
// MPI_Init and MPI_Finalize: the recording begins before the one, and goes on after the other until the program ends.
#include <string>

#include "call.hpp"

namespace {

using foretask::mpi::Call;
using foretask::mpi::Collective;

void start_recording() {
  static std::string version;
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(text, &length);
  version.assign(text);
  version = version.substr(0, version.find(','));
  foretask_hook_options options{};
  options.size = sizeof options;
  options.version = FORETASK_HOOK_VERSION;
  options.runtime = "mpi";
  options.runtime_version = version.c_str();
  options.flags = FORETASK_HOOK_OWN_THREADS;
  static_cast<void>(foretask_hook_start(&options));
}

void after_init() {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
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
