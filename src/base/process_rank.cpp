// SPDX-License-Identifier: Apache-2.0
#include "base/process_rank.hpp"

#include <array>
#include <cstdlib>

#include "base/fingerprint.hpp"
#include "base/number_text.hpp"

namespace foretask::base {
namespace {

struct Names {
  const char* rank;
  const char* ranks;
};
// Open MPI; MPICH and what descends from it.
constexpr std::array kLaunchers{Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, Names{"PMI_RANK", "PMI_SIZE"}};

std::optional<std::uint32_t> number_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text ? parse_number<std::uint32_t>(text) : std::nullopt;
}

// For launchers that give both a rank and the number of ranks.
std::optional<ProcessRank> read_rank(const Names& launcher) {
  const auto rank = number_of(launcher.rank);
  const auto ranks = number_of(launcher.ranks);
  if (!rank || !ranks || *rank >= *ranks) return std::nullopt;
  return ProcessRank{*rank, *ranks};
}

std::optional<ProcessRank> read_launcher() {
  for (const Names& launcher : kLaunchers)
    if (const auto place = read_rank(launcher)) return place;
  const auto step = read_rank({"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"});
  const auto pmix = number_of("PMIX_RANK");
  // The step's task may be another launcher's daemon: then PMIx alone numbers what that has started.
  if (!pmix || (step && step->rank == *pmix)) return step;
  return ProcessRank{*pmix, 0};
}

}  // namespace

std::optional<ProcessRank> read_process_rank() {
  const auto place = read_launcher();
  return place && place->ranks != 1 ? place : std::nullopt;
}

std::string read_job_name() {
  // PMIx's name is one for all nodes, where mpirun may be started in steps of Slurm's that differ.
  if (const char* const name = std::getenv("PMIX_NAMESPACE")) return fingerprint(name);
  const char* const job = std::getenv("SLURM_JOB_ID");
  const char* const step = std::getenv("SLURM_STEP_ID");
  return job && step ? fingerprint(std::string(job) + "." + step) : "";
}

std::string rank_folder(const std::string& folder, std::uint32_t rank) {
  const std::string name = folder.substr(0, folder.find_last_not_of('/') + 1);
  const std::string ending = ".rank" + std::to_string(rank);
  const bool says_rank = (name + ".").find(ending + ".", name.rfind('/') + 1) != std::string::npos;
  return says_rank ? name : name + ending;
}

}  // namespace foretask::base
