// SPDX-License-Identifier: Apache-2.0
// What stands in the way of a recording before it starts: the launcher says so before it starts the program, so that no
// hour's run leaves nothing; without the launcher the program runs as if there were no recorder.
#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

TEST_CASE("a program whose recording cannot be made runs as if there were none") {
  // Without the launcher nothing was checked before.
  const Scratch scratch;
  std::ofstream(scratch / "file") << "no folder";
  const Outcome outcome =
      run(scratch, {program("fib"), "10"},
          "export OMP_NUM_THREADS=2 FORETASK=record FORETASK_OUT=file/run OMP_TOOL_LIBRARIES=" + quoted(kHook) + ";");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "fib(10) = 55\n");
  CHECK_THAT(outcome.err, StartsWith("foretask: warning: nothing is recorded: ") && ContainsSubstring("file/run"));
}

TEST_CASE("a read-only file system is said before the program starts") {
  const Scratch scratch;
  REQUIRE(cli_test::fs::create_directory(scratch / "sealed"));
  const std::string mounts = "mount -t tmpfs -o ro none sealed || exit 99; ";
  const std::string record =
      quoted(cli_test::kForetask) + " record --out sealed/run -- " + quoted(program("fib")) + " 5";
  const Outcome outcome = run(scratch, {"unshare", "-m", "sh", "-c", mounts + record});
  if (outcome.exit_code == 99 || outcome.err.find("unshare") == 0) FORETASK_SKIP("no file system can be mounted here");
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, ContainsSubstring("Read-only file system"));
}
