// SPDX-License-Identifier: Apache-2.0
// What control groups leave a process, in folders as the kernel's documentation describes them.
#include <filesystem>
#include <fstream>
#include <string>

#include "base/cores.hpp"
#include "catch.hpp"
#include "temp_folder.hpp"

namespace {

namespace fs = std::filesystem;
using foretask::base::control_groups;
using foretask::base::core_quota;
using foretask::base::threads_beyond_processors;
using foretask::base::throttled_ns;
using foretask::test::TempFolder;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("of version 2 the tightest quota of all groups around the process holds") {
  const TempFolder root;
  const fs::path groups = fs::path(root.path()) / "sys/fs/cgroup";
  CHECK(core_quota(root.path()) == 0);
  write(fs::path(root.path()) / "proc/self/cgroup", "0::/pod/app\n");
  write(groups / "pod/app/cpu.max", "max 100000\n");
  CHECK(core_quota(root.path()) == 0);
  write(groups / "pod/cpu.max", "150000 100000\n");
  CHECK(core_quota(root.path()) == 1.5);
  write(groups / "pod/app/cpu.max", "400000 100000\n");
  CHECK(core_quota(root.path()) == 1.5);
  write(groups / "cpu.max", "50000 100000\n");
  CHECK(core_quota(root.path()) == 0.5);
  CHECK(control_groups("cpu", root.path()) ==
        std::vector<std::string>{groups / "pod/app", groups / "pod", groups.string()});
}

TEST_CASE("of version 1 the processor's controller has a folder of its own") {
  const TempFolder root;
  const fs::path groups = fs::path(root.path()) / "sys/fs/cgroup/cpu";
  write(fs::path(root.path()) / "proc/self/cgroup", "4:memory:/job\n3:cpu,cpuacct:/docker/abc\n1:cpuset:/x\n");
  write(groups / "docker/abc/cpu.cfs_quota_us", "-1\n");
  write(groups / "docker/abc/cpu.cfs_period_us", "100000\n");
  CHECK(core_quota(root.path()) == 0);
  // In the container the path is the host's, and its own group is mounted in its place.
  write(groups / "cpu.cfs_quota_us", "200000\n");
  write(groups / "cpu.cfs_period_us", "50000\n");
  CHECK(core_quota(root.path()) == 4);
  write(groups / "docker/cpu.cfs_quota_us", "nonsense\n");
  CHECK(core_quota(root.path()) == 4);
}

TEST_CASE("this process may run on a processor at least") { CHECK(foretask::base::allowed_cores() >= 1); }

TEST_CASE("how long a group's limit held it up is the most of the groups around it, in either version's unit") {
  const TempFolder root;
  const fs::path groups = fs::path(root.path()) / "sys/fs/cgroup";
  write(fs::path(root.path()) / "proc/self/cgroup", "4:cpu,cpuacct:/app\n0::/pod\n");
  CHECK(throttled_ns(root.path()) == 0);
  write(groups / "cpu.stat", "usage_usec 9\nnr_throttled 3\nthrottled_usec 250\n");
  CHECK(throttled_ns(root.path()) == 250'000);
  write(groups / "cpu/app/cpu.stat", "nr_periods 5\nnr_throttled 2\nthrottled_time 700000\n");
  CHECK(throttled_ns(root.path()) == 700'000);
}

TEST_CASE("threads that share processors by their affinity are counted") {
  const auto mask = [](std::initializer_list<int> processors) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int processor : processors) CPU_SET(static_cast<std::size_t>(processor), &set);
    return set;
  };
  CHECK(threads_beyond_processors({}, 4) == 0);
  CHECK(threads_beyond_processors({mask({0}), mask({1}), mask({0, 1, 2})}, 4) == 0);
  CHECK(threads_beyond_processors({mask({0}), mask({0})}, 4) == 1);
  CHECK(threads_beyond_processors({mask({0, 1}), mask({0, 1}), mask({0, 1}), mask({3})}, 4) == 1);
  // Two of the three that may use the first two processors have one each already.
  CHECK(threads_beyond_processors({mask({0}), mask({1}), mask({0, 1})}, 4) == 1);
  // Three threads on two processors have one too few however they are bound; all on one is another.
  CHECK(threads_beyond_processors({mask({0, 1}), mask({0, 1}), mask({0, 1})}, 2) == 0);
  CHECK(threads_beyond_processors({mask({0}), mask({0}), mask({0})}, 2) == 1);
}
