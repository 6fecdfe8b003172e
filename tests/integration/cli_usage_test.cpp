// SPDX-License-Identifier: Apache-2.0
// Exit codes and error texts that scripts rely on.
#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

const std::string kGraph = std::string(FORETASK_TESTS_DIR) + "/golden/graphs/cholesky12.jsonl";

}  // namespace

TEST_CASE("help is on standard output and exits with 0") {
  const Scratch scratch;
  for (const std::string command : {"", "record", "report", "simulate", "export", "merge", "model", "doctor"}) {
    INFO(command);
    std::vector<std::string> words{"--help"};
    if (!command.empty()) words.insert(words.begin(), command);
    const Outcome outcome = foretask(scratch, words);
    CHECK(outcome.exit_code == 0);
    CHECK_THAT(outcome.out, ContainsSubstring("Usage: foretask"));
    CHECK(outcome.err.empty());
  }
}

TEST_CASE("the version is that of the project") {
  const Scratch scratch;
  const Outcome outcome = foretask(scratch, {"--version"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "foretask 0.1.0\n");
}

TEST_CASE("wrong usage exits with 2 and says what is wrong") {
  const Scratch scratch;
  const std::vector<std::vector<std::string>> wrong{
      {},
      {"nonsense"},
      {"simulate"},
      {"simulate", kGraph},
      {"simulate", kGraph, "--cores", "0"},
      {"simulate", kGraph, "--cores", "4-2"},
      {"simulate", kGraph, "--cores", "-3"},
      {"simulate", kGraph, "--cores", "1000001"},
      {"simulate", kGraph, "--cores", "1", "--policy", "nonsense"},
      {"simulate", kGraph, "--cores", "1", "--speedup", "potrf"},
      {"simulate", kGraph, "--cores", "1", "--speedup", "potrf=0"},
      {"simulate", kGraph, "--cores", "1", "--speedup", "potrf=-1"},
      {"simulate", kGraph, "--cores", "1", "--speedup", "potrf=nan"},
      {"simulate", kGraph, "--cores", "1", "--speedup", "potrf=inf"},
      {"simulate", kGraph, "--cores", "1", "--seed", "x"},
      {"simulate", kGraph, "--cores", "1", "--seed", "-1"},
      {"simulate", kGraph, "--cores", "1", "--seed", "18446744073709551616"},
      {"simulate", kGraph, "--cores", "1", "--nonsense"},
      {"simulate", kGraph, kGraph, "--cores", "1"},
      {"report", "run", "--burden", "-1"},
      {"report", "run", "--burden", "some"},
      {"export", kGraph},
      {"export", kGraph, "--format", "png"},
      {"export", kGraph, "--format", "dot", "--max-nodes", "-1"},
      {"export", kGraph, "--format", "dot", "-o", ""},
      {"record"},
      {"record", "--"},
      {"record", "--out", "", "--", "true"},
      {"record", "--counters", "", "--", "true"},
      {"record", "--param", "novalue", "--", "true"},
      {"record", "--nonsense", "--", "true"},
      {"report"},
  };
  for (const auto& words : wrong) {
    const Outcome outcome = foretask(scratch, words);
    INFO(Catch::Detail::stringify(words));
    CHECK(outcome.exit_code == 2);
    CHECK_THAT(outcome.err, StartsWith("foretask: error: "));
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("what cannot be done exits with 1 and says why") {
  const Scratch scratch;
  const auto fails = [&scratch](const std::vector<std::string>& words, const std::string& reason) {
    const Outcome outcome = foretask(scratch, words);
    INFO(Catch::Detail::stringify(words));
    CHECK(outcome.exit_code == 1);
    CHECK_THAT(outcome.err, StartsWith("foretask: error: ") && ContainsSubstring(reason));
    CHECK(outcome.out.empty());
  };
  fails({"simulate", "nowhere.jsonl", "--cores", "1"}, "nowhere.jsonl");
  fails({"simulate", kGraph, "--cores", "1", "--speedup", "potfr=2"}, "potrf");
  fails({"report", kGraph}, "not a recorded run");
  fails({"report", "nowhere"}, "nowhere");
  fails({"report", scratch.path()}, scratch.path());
  fails({"export", kGraph, "--format", "perfetto"}, "recorded run");
  fails({"export", kGraph, "--format", "dot", "--max-nodes", "10"}, "364");
  fails({"export", kGraph, "--format", "csv", "-o", "/nonexistent/x.csv"}, "/nonexistent/x.csv");
}

TEST_CASE("a full disk and a closed pipe are errors") {
  const Scratch scratch;
  const std::string words = quoted(kForetask) + " simulate " + quoted(kGraph) + " --cores 1";
  CHECK(run(scratch, {"sh", "-c", words + " >/dev/full"}).exit_code == 1);
  CHECK_THAT(run(scratch, {"sh", "-c", words + " >/dev/full"}).err, ContainsSubstring("No space left on device"));
  CHECK(run(scratch, {"sh", "-c", words + " >&-"}).exit_code == 1);
  CHECK(run(scratch, {"sh", "-c", quoted(kForetask) + " --help >/dev/full"}).exit_code == 1);
  const std::string piped = "(" + quoted(kForetask) + " export " + quoted(kGraph) +
                            " --format graph; echo $? >code) | (exec 0<&-; sleep 0.3); cat code";
  CHECK(run(scratch, {"sh", "-c", piped}).out == "1\n");
}

TEST_CASE("standard error that takes nothing changes no exit code and leaves nothing behind") {
  const Scratch scratch;
  fs::create_directory(scratch / "tmp");
  const auto code = [&scratch](const std::string& words, const std::string& redirection) {
    const std::string line =
        "export TMPDIR=$PWD/tmp; (" + quoted(kForetask) + " " + words + "; echo $? >code) " + redirection;
    (void)run(scratch, {"sh", "-c", line});
    return contents(scratch / "code");
  };
  // The reader is gone before anything is written.
  for (const std::string redirection : {"2>/dev/full", "2>&-", "2>&1 >out | (exec 0<&-; sleep 0.3)"}) {
    INFO(redirection);
    CHECK(code("record -- sh -c 'sleep 0.2; exit 7'", redirection) == "7\n");
    CHECK(code("record -- no-such-program", redirection) == "127\n");
    CHECK(code("report nowhere", redirection) == "1\n");
    CHECK(code("nonsense", redirection) == "2\n");
  }
  CHECK(fs::is_empty(scratch / "tmp"));
}
