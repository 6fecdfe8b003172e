// SPDX-License-Identifier: Apache-2.0
#include "base/own_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "catch.hpp"

namespace base = foretask::base;

TEST_CASE("a process knows when it began, to a tick of the kernel's") {
  const std::int64_t before = base::monotonic_ns();
  CHECK(base::process_start_ns() > 0);
  CHECK(base::process_start_ns() <= before);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::int64_t start = base::process_start_ns();
    ::_exit(start > before - 20'000'000 && start <= base::monotonic_ns() ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
