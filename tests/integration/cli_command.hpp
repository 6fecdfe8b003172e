// SPDX-License-Identifier: Apache-2.0
// Runs a program as a user would, and keeps what it said.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "scratch.hpp"
#include "skip.hpp"

namespace cli_test {

namespace fs = std::filesystem;

using foretask_test::contents;
using foretask_test::Scratch;

struct Outcome {
  int exit_code = -1;  // as a shell says it: 128 + n for death by signal n
  int signal = 0;
  std::string out;
  std::string err;
};

inline std::string quoted(const std::string& word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

inline const std::string kForetask = std::string(FORETASK_BIN_DIR) + "/foretask";

inline std::string example(const std::string& name) { return std::string(FORETASK_BIN_DIR) + "/" + name; }

inline Outcome outcome_of(int status, const Scratch& scratch) {
  Outcome outcome;
  outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + outcome.signal;
  outcome.out = contents(scratch / "stdout");
  outcome.err = contents(scratch / "stderr");
  return outcome;
}

// By the shell, in `scratch`. `words` are quoted; `before` is shell text: assignments, ulimit.
inline Outcome run(const Scratch& scratch, const std::vector<std::string>& words, const std::string& before = "") {
  std::string line = "cd " + quoted(scratch.path()) + " && " + before + " exec";
  for (const std::string& word : words) line += " " + quoted(word);
  line += " >stdout 2>stderr </dev/null";
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return outcome_of(status, scratch);
}

inline Outcome foretask(const Scratch& scratch, std::vector<std::string> words, const std::string& before = "") {
  words.insert(words.begin(), kForetask);
  return run(scratch, words, before);
}

// Compiles C text to scratch/name; false where the compiler is missing or cannot.
inline bool compile(const Scratch& scratch, const std::string& compiler, const std::string& name,
                    const std::string& text, const std::vector<std::string>& options) {
  std::ofstream(scratch / (name + ".cpp")) << text;
  std::vector<std::string> words{compiler, "-O1", "-g", scratch / (name + ".cpp"), "-o", scratch / name};
  words.insert(words.end(), options.begin(), options.end());
  const Outcome compiled = run(scratch, words);
  INFO(compiled.err);
  return compiled.exit_code == 0;
}

}  // namespace cli_test
