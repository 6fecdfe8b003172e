// SPDX-License-Identifier: Apache-2.0
// Which rank a process is, by its launcher's variables.
#include "base/process_rank.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>

namespace base = foretask::base;

namespace {

// Sets a variable and takes it away again.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { REQUIRE(setenv(name, value, 1) == 0); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
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

TEST_CASE("a rank's folder is named after it, once") {
  CHECK(base::rank_folder("run", 3) == "run.rank3");
  CHECK(base::rank_folder("a/run/", 12) == "a/run.rank12");
  CHECK(base::rank_folder("run.rank3", 3) == "run.rank3");
  CHECK(base::rank_folder("run.rank3.2", 3) == "run.rank3.2");
  CHECK(base::rank_folder("run.rank3", 1) == "run.rank3.rank1");
  CHECK(base::rank_folder("run.rank31", 3) == "run.rank31.rank3");
  CHECK(base::rank_folder("a.rank3/run", 3) == "a.rank3/run.rank3");
}
