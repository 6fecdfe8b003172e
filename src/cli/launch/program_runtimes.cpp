// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/program_runtimes.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace foretask::cli {
namespace {

constexpr std::string_view kForetask = "libforetask.so";
constexpr std::string_view kOpenMpi = "libmpi.so";
constexpr std::string_view kStarpu = "libstarpu-";  // its version follows; other libraries of StarPU have other names
constexpr std::string_view kTbb = "libtbb.so.12";   // oneTBB; before it TBB was another library
// They start the program with their own environment.
constexpr std::array<std::string_view, 4> kMpiLaunchers{"mpirun", "mpiexec", "orterun", "srun"};

// MPICH's ABI: libmpich.so.12 of Debian, libmpi.so.12 of Intel, libmpi_gnu_91.so.12 of Cray, Fortran's libraries.
bool is_mpich(std::string_view library) { return library.starts_with("libmpi") && library.ends_with(".so.12"); }

bool is_starpu(std::string_view library) {
  return library.starts_with(kStarpu) && library.find_first_of("0123456789") == kStarpu.size();
}

}  // namespace

ProgramRuntimes runtimes_of(const std::vector<LoadedLibrary>& libraries) {
  ProgramRuntimes runtimes;
  for (const LoadedLibrary& library : libraries) {
    const std::string_view file = library.name;
    if (file.substr(0, kForetask.size()) == kForetask) runtimes.foretask = true;
    if (is_mpich(file) || file.substr(0, kOpenMpi.size()) == kOpenMpi) {
      runtimes.mpi = is_mpich(file) ? Mpi::kMpich : Mpi::kOpenMpi;
      runtimes.libmpi = file;
    }
    if (is_starpu(file)) runtimes.starpu = file;
    if (file.substr(0, kTbb.size()) == kTbb) runtimes.tbb = true;
  }
  return runtimes;
}

Mpi mpi_of_launcher(const std::string& path) {
  const std::string file_name = std::filesystem::path(path).filename().string();
  const std::string name = file_name.substr(0, file_name.find('.'));  // "mpirun.mpich"
  if (std::find(kMpiLaunchers.begin(), kMpiLaunchers.end(), name) == kMpiLaunchers.end()) return Mpi::kNone;
  std::error_code error;
  // MPICH's launcher, Intel's too, is Hydra.
  return std::filesystem::canonical(path, error).filename() == "mpiexec.hydra" ? Mpi::kMpich : Mpi::kOpenMpi;
}

Mpi mpi_of_rank(const ChildEnvironment& environment) {
  if (environment.find("OMPI_COMM_WORLD_RANK") != nullptr) return Mpi::kOpenMpi;
  // Slurm gives Open MPI's ranks a PMI_RANK, too.
  const bool is_hydra = environment.find("PMI_RANK") != nullptr && environment.find("MPI_LOCALRANKID") != nullptr;
  return is_hydra ? Mpi::kMpich : Mpi::kNone;
}

}  // namespace foretask::cli
