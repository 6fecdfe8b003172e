// SPDX-License-Identifier: Apache-2.0
// Which rank a process is, by its launcher's variables.
#include "base/process_rank.hpp"

#include <cstdlib>
#include <optional>
#include <string>

#include "catch.hpp"

namespace base = foretask::base;

namespace {

// Sets a variable, and puts back what was there.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    REQUIRE(setenv(name, value, 1) == 0);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("a run is known by the launcher's name for it") {
  CHECK(base::read_job_name().empty());
  std::string first;
  {
    const Variable job("SLURM_JOB_ID", "17");
    CHECK(base::read_job_name().empty());
    const Variable step("SLURM_STEP_ID", "0");
    first = base::read_job_name();
    CHECK(first.size() == 16);
    const Variable name("PMIX_NAMESPACE", "1600126977");
    const std::string second = base::read_job_name();
    CHECK(second != first);
    const Variable other_step("SLURM_STEP_ID", "1");
    CHECK(base::read_job_name() == second);
  }
  const Variable job("SLURM_JOB_ID", "17");
  const Variable step("SLURM_STEP_ID", "1");
  CHECK(base::read_job_name() != first);
}

TEST_CASE("a rank is known by what Open MPI or MPICH say, and only where it is one of several") {
  CHECK(!base::read_process_rank());
  {
    const Variable rank("OMPI_COMM_WORLD_RANK", "3");
    CHECK(!base::read_process_rank());
    const Variable ranks("OMPI_COMM_WORLD_SIZE", "4");
    REQUIRE(base::read_process_rank());
    CHECK(base::read_process_rank()->rank == 3);
    CHECK(base::read_process_rank()->ranks == 4);
  }
  for (const char* size : {"1", "3", "4x", "", "-4"}) {
    const Variable rank("PMI_RANK", "3");
    const Variable ranks("PMI_SIZE", size);
    CHECK(!base::read_process_rank());
  }
  const Variable rank("PMI_RANK", "0");
  const Variable ranks("PMI_SIZE", "2");
  CHECK(base::read_process_rank()->ranks == 2);
}

TEST_CASE("a rank is known in a Slurm step of several tasks, and from PMIx") {
  {
    // A batch script: a task of a job, in no step of several.
    const Variable task("SLURM_PROCID", "0");
    const Variable tasks("SLURM_NTASKS", "4");
    CHECK(!base::read_process_rank());
    const Variable alone("SLURM_STEP_NUM_TASKS", "1");
    CHECK(!base::read_process_rank());
    const Variable pmix("PMIX_RANK", "0");
    CHECK(!base::read_process_rank());
  }
  const Variable pmix("PMIX_RANK", "1");
  REQUIRE(base::read_process_rank());
  CHECK(base::read_process_rank()->rank == 1);
  CHECK(base::read_process_rank()->ranks == 0);
  const Variable task("SLURM_PROCID", "1");
  const Variable tasks("SLURM_STEP_NUM_TASKS", "4");
  CHECK(base::read_process_rank()->rank == 1);
  CHECK(base::read_process_rank()->ranks == 4);
  {
    // A daemon of another launcher is the task of the step, and has started this process.
    const Variable daemon("SLURM_PROCID", "0");
    CHECK(base::read_process_rank()->rank == 1);
    CHECK(base::read_process_rank()->ranks == 0);
  }
  const Variable rank("OMPI_COMM_WORLD_RANK", "0");
  const Variable ranks("OMPI_COMM_WORLD_SIZE", "1");
  CHECK(!base::read_process_rank());
}

TEST_CASE("a rank's folder is named after it, once") {
  CHECK(base::rank_folder("run", 3) == "run.rank3");
  CHECK(base::rank_folder("a/run/", 12) == "a/run.rank12");
  CHECK(base::rank_folder("run.rank3", 3) == "run.rank3");
  CHECK(base::rank_folder("run.rank3.2", 3) == "run.rank3.2");
  CHECK(base::rank_folder("run.rank3", 1) == "run.rank3.rank1");
  CHECK(base::rank_folder("run.rank31", 3) == "run.rank31.rank3");
  CHECK(base::rank_folder("a.rank3/run", 3) == "a.rank3/run.rank3");
}
