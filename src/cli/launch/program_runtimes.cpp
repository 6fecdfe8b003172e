// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/program_runtimes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>

namespace foretask::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kForetask = "libforetask.so";
constexpr std::string_view kOpenMpi = "libmpi.so";
constexpr std::string_view kStarpu = "libstarpu-";  // its version follows; other libraries of StarPU have other names
constexpr std::string_view kLibgomp = "libgomp.so.1";
constexpr std::string_view kTbb = "libtbb.so.12";  // oneTBB; before it TBB was another library
// They start the program with their own environment.
constexpr std::array<std::string_view, 4> kMpiLaunchers{"mpirun", "mpiexec", "orterun", "srun"};

// MPICH's ABI: libmpich.so.12 of Debian, libmpi.so.12 of Intel, libmpi_gnu_91.so.12 of Cray, Fortran's libraries.
bool is_mpich(std::string_view library) { return library.starts_with("libmpi") && library.ends_with(".so.12"); }

bool is_starpu(std::string_view library) {
  return library.starts_with(kStarpu) && library.find_first_of("0123456789") == kStarpu.size();
}

bool is_libomp(std::string_view library) {
  return library.starts_with("libomp.so") || library.starts_with("libomp5.so") || library.starts_with("libiomp5.so");
}

}  // namespace

Result<std::string> find_hook_library(const std::string& name) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return Error{.what = "cannot find this program's folder", .code = error.value()};
  const fs::path prefix = self.parent_path().parent_path();
  for (const char* const folder : {FORETASK_LIBDIR, "lib", "lib64"}) {
    const fs::path candidate = prefix / folder / name;
    if (!fs::exists(candidate, error)) continue;
    if (candidate.string().find(':') != std::string::npos)
      return Error{.what = "no library can be loaded from a folder whose name has a colon", .path = candidate.string()};
    return candidate.string();
  }
  return Error{
      fmt::format("{} is not in {}: the installation is incomplete, or was built without a library that the hook needs",
                  name, (prefix / FORETASK_LIBDIR).string())};
}

std::string other_openmp_tools(const std::string* list) {
  std::string others;
  std::istringstream entries(list == nullptr ? std::string() : *list);
  for (std::string entry; std::getline(entries, entry, ':');) {
    // A launcher around this one has named the hook already.
    if (entry.empty() || fs::path(entry).filename() == kOpenmpHook) continue;
    others += (others.empty() ? "" : ":") + entry;
  }
  return others;
}

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
    if (is_libomp(file)) runtimes.libomp = true;
    if (file == kLibgomp && !runtimes.libomp) runtimes.libgomp = library.path;
  }
  return runtimes;
}

bool is_of_old_gcc(const ProgramRuntimes& runtimes, const ElfProgram& program) {
  if (runtimes.libgomp.empty()) return false;
  const auto libgomp = read_elf_program(runtimes.libgomp);
  return (libgomp && std::ranges::count(libgomp->exports, "GOMP_parallel") == 0) ||
         std::ranges::count(program.imports, "GOMP_parallel_end") != 0;
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
