// SPDX-License-Identifier: Apache-2.0
// The store as real processes use it: at once, killed, without room, damaged.
#include <signal.h>

#include <thread>

#include "integration/learning.hpp"

using namespace learning_test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::vector<std::string> kLearn{"define gemm 1 v1", "learn gemm 100 64 5000", "save"};
const std::string kPrediction = "predict gemm: ok, ready history 5000 ";

}  // namespace

TEST_CASE("processes that finish at once add up") {
  const Scratch scratch;
  // Together, by one shell: each waits for the others to have begun.
  std::string line =
      "export FORETASK=learn FORETASK_HOME=home; for i in 1 2 3 4; do " + quoted(program("steps")) +
      " 'define gemm 1 v1' 'learn gemm 100 64 5000' save 'learn gemm 150 128 9000' >out$i 2>err$i & done; wait;";
  cli_test::run(scratch, {"true"}, line);
  for (int i = 1; i <= 4; ++i) {
    CHECK(contents(scratch / ("out" + std::to_string(i))) ==
          "define gemm: ok\nlearn gemm: 100 ok\nsave: ok\nlearn gemm: 150 ok\n");
    CHECK(contents(scratch / ("err" + std::to_string(i))).empty());
  }
  CHECK(stored_samples(scratch, "gemm") == 1000);
  CHECK(steps(scratch, {"define gemm 1 v1", "predict gemm 64", "predict gemm 128"}).out ==
        "define gemm: ok\n" + kPrediction + "1000\npredict gemm: ok, ready history 9000 1000\n");
}

TEST_CASE("another version of the code begins with what the last one knew, and says that it is doubtful") {
  const Scratch scratch;
  steps(scratch, kLearn);
  const Outcome other =
      steps(scratch, {"define gemm 1 v2", "predict gemm 64", "learn gemm 20 64 2500", "flush", "predict gemm 64"});
  CHECK_THAT(other.out, ContainsSubstring("predict gemm: ok, stale history 5000 100\n"));
  CHECK_THAT(other.out, ContainsSubstring("predict gemm: ok, ready ") && Catch::Matchers::EndsWith(" 2500 120\n"));
  CHECK(steps(scratch, {"define gemm 1 v1", "predict gemm 64"}).out == "define gemm: ok\n" + kPrediction + "100\n");
}

TEST_CASE("classes of workers are stored apart") {
  const Scratch scratch;
  steps(scratch, {"define gemm 1 v1", "learn gemm 100 64 5000", "class gpu", "learn gemm 50 64 20"});
  CHECK(steps(scratch, {"define gemm 1 v1", "predict gemm 64", "class gpu", "predict gemm 64"}).out ==
        "define gemm: ok\n" + kPrediction + "100\nclass: 0\npredict gemm: ok, ready history 20 50\n");
}

TEST_CASE("a process that is killed while it saves leaves a store that is whole") {
  for (const int milliseconds : {1, 4, 9, 17, 31}) {
    const Scratch scratch;
    const pid_t child = fork();
    if (child == 0) {
      if (chdir(scratch.path().c_str()) != 0 || !freopen("out", "w", stdout)) _exit(1);
      setenv("FORETASK", "learn", 1);
      setenv("FORETASK_HOME", "home", 1);
      execl(program("saves").c_str(), "saves", nullptr);
      _exit(127);
    }
    while (contents(scratch / "out").empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    CHECK(stored_samples(scratch, "saves") >= 10);
    const Outcome next = steps(scratch, {"define saves 1", "predict saves 1", "save"});
    CHECK(next.err.find("is not used") == std::string::npos);
  }
}

TEST_CASE("a damaged file is refused by its name, and the program goes on") {
  const Scratch scratch;
  steps(scratch, kLearn);
  const std::string path = path_of(scratch, "gemm.json");
  const std::string whole = contents(path);
  for (const std::string& damaged : {whole.substr(0, whole.size() / 2), std::string(), std::string("\x7f\x45LF")}) {
    std::ofstream(path, std::ios::binary) << damaged;
    const Outcome outcome = steps(scratch, {"define gemm 1 v1", "predict gemm 64", "learn gemm 30 64 5000", "save"});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out == "define gemm: ok\npredict gemm: ok, uncalibrated none nan 0\nlearn gemm: 30 ok\nsave: ok\n");
    CHECK(outcome.err ==
          "foretask: warning: " + path + " is not used: it is not whole; it is now " + path + ".refused-1\n");
    CHECK(contents(path + ".refused-1") == damaged);
    CHECK(stored_samples(scratch, "gemm") == 30);
    cli_test::fs::remove(path + ".refused-1");
  }
}

TEST_CASE("a store that cannot be written is one line, and nothing else") {
  const Scratch scratch;
  const std::vector<std::string> list{"define gemm 1 v1",
                                      "define trsm 1 v1",
                                      "learn gemm 100 64 5000",
                                      "learn trsm 100 64 5000",
                                      "save",
                                      "predict gemm 64",
                                      "end 5"};
  const std::string said =
      "define gemm: ok\ndefine trsm: ok\nlearn gemm: 100 ok\nlearn trsm: 100 ok\nsave: not saved\n" + kPrediction +
      "100\n";
  SECTION("its home is a file") {
    std::ofstream(scratch / "home") << "mine";
    const Outcome outcome = steps(scratch, list);
    CHECK(outcome.exit_code == 5);
    CHECK(outcome.out == said);
    CHECK_THAT(outcome.err, ContainsSubstring("what was learned is not saved: " + (scratch / "home/models/")));
    CHECK(contents(scratch / "home") == "mine");
  }
  SECTION("no file may grow so large") {
    steps(scratch, {"define gemm 1 v1", "learn gemm 1 64 4000"});
    const std::string before = contents(path_of(scratch, "gemm.json"));
    const Outcome outcome = steps(scratch, list, "ulimit -f 2;");
    CHECK(outcome.exit_code == 5);
    CHECK_THAT(outcome.out, ContainsSubstring("save: not saved\n"));
    CHECK_THAT(outcome.err, ContainsSubstring("gemm.json: cannot write: File too large"));
    CHECK(contents(path_of(scratch, "gemm.json")) == before);
  }
  SECTION("nowhere at all") {
    const Outcome outcome = steps(scratch, list, "unset FORETASK_HOME XDG_DATA_HOME HOME;");
    CHECK(outcome.exit_code == 5);
    CHECK(outcome.out == said);
    CHECK(outcome.err ==
          "foretask: warning: nothing is stored: none of FORETASK_HOME, XDG_DATA_HOME and HOME is set\n");
  }
}

TEST_CASE("a full disk costs what is not stored yet, and what was stored stays") {
  const Scratch scratch;
  std::string script =
      "mkdir home && mount -t tmpfs -o size=24k none home && export FORETASK=learn FORETASK_HOME=home && " +
      quoted(program("steps")) + " 'define gemm 1 v1' 'learn gemm 30 64 5000' >out1 2>err1 && " +
      quoted(program("steps")) +
      " 'define gemm 1 v1' 'define trsm 8 v1' 'learn trsm 900 64 5000' save 'predict trsm 64' >out2 2>err2;"
      " cp -r home kept";
  const Outcome outcome = cli_test::run(scratch, {"unshare", "-rm", "sh", "-c", script});
  if (!cli_test::fs::exists(scratch / "kept")) FORETASK_SKIP("no file system can be mounted here: " + outcome.err);
  CHECK(contents(scratch / "err1").empty());
  CHECK_THAT(contents(scratch / "out2"),
             ContainsSubstring("save: not saved\npredict trsm: ok, ready history 5000 900\n"));
  CHECK_THAT(contents(scratch / "err2"), ContainsSubstring("No space left on device"));
  CHECK(files(scratch, "kept") == std::vector<std::string>{"gemm.json"});
  CHECK(stored_samples(scratch, "gemm", "kept") == 30);
}

TEST_CASE("a program that changes its directory and closes its files stores where it was started") {
  const Scratch scratch;
  const Outcome outcome = steps(scratch, {"define gemm 1 v1", "cd /", "closed", "learn gemm 30 64 5000", "save"});
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out, ContainsSubstring("save: ok\n"));
  CHECK(stored_samples(scratch, "gemm") == 30);
}

TEST_CASE("a kernel of the same name with other parameters is refused in one process") {
  const Scratch scratch;
  CHECK(steps(scratch, {"define gemm 1", "define gemm 2", "define gemm 1"}).out ==
        "define gemm: ok\ndefine gemm: there twice\ndefine gemm: ok\n");
}
