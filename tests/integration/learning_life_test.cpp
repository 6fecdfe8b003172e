// SPDX-License-Identifier: Apache-2.0
// A program's whole life with the learner: before main, after it, off, forked, unloaded.
#include <map>

#include "integration/learning.hpp"
#include "skip.hpp"

using namespace learning_test;

TEST_CASE("a C program learns, and the next run of it knows what the first one learned") {
  const Scratch scratch;
  const Outcome first = steps(scratch, {"define gemm 2", "predict gemm 64", "learn gemm 300 64 5000", "flush",
                                        "predict gemm 64", "stats", "end 3"});
  CHECK(first.exit_code == 3);
  CHECK(first.err.empty());
  CHECK(first.out ==
        "define gemm: ok\n"
        "predict gemm: ok, uncalibrated none nan 0\n"
        "learn gemm: 300 ok\n"
        "flush: ok\n"
        "predict gemm: ok, ready history 5000 300\n"
        "stats: 1 kernels, 300 learned, 0 dropped, 0 rejected\n");
  CHECK(files(scratch) == std::vector<std::string>{"gemm.json"});
  CHECK(steps(scratch, {"define gemm 2", "predict gemm 64"}).out ==
        "define gemm: ok\npredict gemm: ok, ready history 5000 300\n");
}

TEST_CASE("learning begins where the program asks for it, kernels defined before are loaded then") {
  const Scratch scratch;
  const std::string unset = "unset FORETASK;";
  const Outcome first =
      steps(scratch, {"define gemm 1", "learn gemm 5 1 100", "threads", "start", "learn gemm 50 1 100"}, unset);
  CHECK(first.out == "define gemm: ok\nlearn gemm: 0 off\nthreads: 1\nstart: ok\nlearn gemm: 50 ok\n");
  CHECK(steps(scratch, {"define gemm 1", "predict gemm 1", "start", "predict gemm 1"}, unset).out ==
        "define gemm: ok\npredict gemm: off, uncalibrated none nan 0\nstart: ok\npredict gemm: ok, ready history 100 "
        "50\n");
}

TEST_CASE("off means off: no thread, no file, and every call says so") {
  const Scratch scratch;
  for (const char* mode : {"off", "of"}) {
    const Outcome outcome = steps(
        scratch,
        {"start", "define gemm 1", "learn gemm 5 1 100", "predict gemm 1", "flush", "save", "load", "threads", "stats"},
        std::string("export FORETASK=") + mode + ";");
    CHECK(outcome.out ==
          "start: off\ndefine gemm: ok\nlearn gemm: 0 off\npredict gemm: off, uncalibrated none nan 0\nflush: off\n"
          "save: off\nload: off\nthreads: 1\nstats: 1 kernels, 0 learned, 0 dropped, 0 rejected\n");
    CHECK(outcome.err ==
          (std::string(mode) == "off"
               ? ""
               : "foretask: warning: FORETASK=of is not one of off, record, learn, tune: taken as off\n"));
    CHECK_FALSE(cli_test::fs::exists(scratch / "home"));
  }
}

TEST_CASE("a C++ program learns before main, in it, and until its end") {
  const Scratch scratch;
  const Outcome outcome = run(scratch, {"whole_life"});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, Catch::Matchers::StartsWith("start: ok\n"
                                                      "before main: kernel, ok\n"
                                                      "main: kernel, ok\n"
                                                      "a thread: kernel, ok\n"
                                                      "at a thread's end: kernel, ok\n"
                                                      "flush: ok\n"
                                                      "predict: 4000 4\n"
                                                      "at exit: kernel, ok\n"
                                                      "after main: kernel, ok\n"));
  CHECK_THAT(outcome.out, Catch::Matchers::ContainsSubstring("at the very end: kernel, "));
  CHECK(stored_samples(scratch, "whole%20life") >= 6);
}

TEST_CASE("threads that end with samples on their way, in a program that ends, lose none") {
  const Scratch scratch;
  const Outcome outcome = run(scratch, {"thread_ends", "40", "250"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "10000\n");
  CHECK(outcome.err.empty());
  CHECK(stored_samples(scratch, "ends") == 10'000);
}

TEST_CASE("forked children predict, learn, save and exit, and all samples are stored once") {
  const Scratch scratch;
  const Outcome outcome = run(scratch, {"forks"});
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(stored_samples(scratch, "forks") == std::stoull(outcome.out));
}

TEST_CASE("the library is unloaded while a thread that used it lives, and what it learned is stored") {
  const Scratch scratch;
  const Outcome outcome = run(scratch, {"unloads", FORETASK_LIBRARY}, "unset FORETASK;");
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.out == "unloaded: yes\nunloaded: yes\nunloaded: yes\n300\n");
  CHECK(outcome.err.empty());
  CHECK(stored_samples(scratch, "unloads") == 300);
}

TEST_CASE("a library that is loaded where another one was is not taken for it") {
  const Scratch scratch;
  const Outcome outcome = run(scratch, {"plugins", program("plugin_aaaa.so"), program("plugin_bbbb.so")});
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  if (outcome.out == "elsewhere\n") FORETASK_SKIP("the second library was loaded elsewhere");
  CHECK(outcome.out == "in its place\n");
  CHECK(outcome.err.empty());
  const auto entries = [&](const std::string& kernel) {
    return json::parse(contents(path_of(scratch, kernel + ".json"))).at("entries");
  };
  CHECK(entries("first").at(0).at("code_version") == "aaaa");
  CHECK(entries("second").at(0).at("code_version") == "bbbb");
  // A kernel of both: under the old version 20 samples, under the new one these and its own.
  std::map<std::string, int> both;
  for (const json& entry : entries("both")) both[entry.at("code_version")] = entry.at("model").at("samples");
  CHECK(both == std::map<std::string, int>{{"aaaa", 20}, {"bbbb", 40}});
  // Tasks without a kernel of their own are named by their code.
  int named = 0;
  for (const std::string& file : files(scratch)) {
    if (!file.starts_with("plugin_")) continue;
    ++named;
    const json entry = json::parse(contents(path_of(scratch, file))).at("entries").at(0);
    CHECK(entry.at("code_version") == file.substr(7, 4));
    CHECK(entry.at("model").at("samples") == 50);
  }
  CHECK(named == 2);
}

TEST_CASE("ten thousand kernels are learned and stored") {
  const Scratch scratch;
  const Outcome first = steps(scratch, {"many 10000", "save"});
  CHECK(first.exit_code == 0);
  CHECK(first.err.empty());
  CHECK(first.out == "many: 10000\nsave: ok\n");
  CHECK(files(scratch).size() == 10'000);
  CHECK(steps(scratch, {"define k9876 1 v1", "predict k9876 5"}).out ==
        "define k9876: ok\npredict k9876: ok, ready history 9976 1\n");
}
