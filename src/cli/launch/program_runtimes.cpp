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
constexpr std::string_view kMpi = "libmpi.so";
constexpr std::array<std::string_view, 2> kMpich{"libmpich.so.12", "libmpi.so.12"};  // Debian's; Intel's, Cray's
constexpr std::string_view kStarpu = "libstarpu-";  // its version follows; other libraries of StarPU have other names
constexpr std::string_view kTbb = "libtbb.so.12";   // oneTBB; before it TBB was another library
// They start the program with their own environment.
constexpr std::array<std::string_view, 4> kMpiLaunchers{"mpirun", "mpiexec", "orterun", "srun"};

bool is_starpu(std::string_view library) {
  return library.starts_with(kStarpu) && library.find_first_of("0123456789") == kStarpu.size();
}

}  // namespace

ProgramRuntimes runtimes_of(const std::string& path, const ElfProgram& program,
                            const std::vector<LoadedLibrary>& libraries) {
  ProgramRuntimes runtimes;
  const std::string file_name = std::filesystem::path(path).filename().string();
  const std::string name = file_name.substr(0, file_name.find('.'));  // "mpirun.mpich"
  runtimes.mpi = std::find(kMpiLaunchers.begin(), kMpiLaunchers.end(), name) != kMpiLaunchers.end();
  std::error_code error;
  // MPICH's launcher, Intel's too, is Hydra.
  runtimes.mpich = runtimes.mpi && std::filesystem::canonical(path, error).filename() == "mpiexec.hydra";
  if (!program.is_native() || program.is_static()) return runtimes;
  runtimes.loads = std::any_of(program.imports.begin(), program.imports.end(),
                               [](const ElfSymbol& symbol) { return symbol.name == "dlopen"; });
  for (const LoadedLibrary& library : libraries) {
    const std::string_view file = library.name;
    if (file.substr(0, kForetask.size()) == kForetask) runtimes.foretask = true;
    const bool is_mpich = std::find(kMpich.begin(), kMpich.end(), file) != kMpich.end();
    if (is_mpich || file.substr(0, kMpi.size()) == kMpi) {
      runtimes.mpi = true;
      runtimes.mpich = is_mpich;
      runtimes.libmpi = file;
    }
    if (is_starpu(file)) runtimes.starpu = file;
    if (file.substr(0, kTbb.size()) == kTbb) runtimes.tbb = true;
  }
  return runtimes;
}

}  // namespace foretask::cli
