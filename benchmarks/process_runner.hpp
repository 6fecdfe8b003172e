// SPDX-License-Identifier: Apache-2.0
// Whole programs as benchmarks: runs one with a given environment, takes its wall time, and medians of many.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

extern char** environ;

namespace foretask::benchmarks {

using Variables = std::map<std::string, std::string>;

struct Finished {
  double seconds = 0;  // from just before its start until it is gone
  std::string output;
};

inline std::string read_whole(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Runs `command` (its first word a path) with `variables` over this process's environment. Standard error is passed on
// only when the program fails, which ends the benchmark.
inline Finished run_program(const std::vector<std::string>& command, const Variables& variables,
                            const std::string& scratch) {
  std::map<std::string, std::string> merged;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    merged[text.substr(0, text.find('='))] = text;
  }
  for (const auto& [name, value] : variables) merged[name] = name + "=" + value;
  std::vector<char*> environment;
  for (auto& [name, entry] : merged) environment.push_back(entry.data());
  environment.push_back(nullptr);
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  const std::string out = scratch + "/out.txt";
  const std::string err = scratch + "/err.txt";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const auto begin = std::chrono::steady_clock::now();
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, command[0].c_str(), &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + command[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  const auto end = std::chrono::steady_clock::now();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(command[0] + " failed: " + read_whole(err) + read_whole(out));
  return {std::chrono::duration<double>(end - begin).count(), read_whole(out)};
}

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// A folder for this benchmark's files, gone at its end.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "foretask-benchmark-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a temporary folder");
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  // A name in it that is free.
  [[nodiscard]] std::string fresh(const std::string& name) const {
    std::filesystem::remove_all(path_ + "/" + name);
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

// bin/ of the build that this benchmark is part of.
inline std::string bin_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path().string(); }

// --name VALUE of the command line, or `fallback`.
inline std::string option(int argc, char** argv, const std::string& name, const std::string& fallback) {
  for (int i = 1; i + 1 < argc; ++i)
    if (argv[i] == "--" + name) return argv[i + 1];
  return fallback;
}

// The words of the command line that are no --name VALUE.
inline std::vector<std::string> words_beside_options(int argc, char** argv) {
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]).starts_with("--")) {
      ++i;
    } else {
      words.emplace_back(argv[i]);
    }
  }
  return words;
}

}  // namespace foretask::benchmarks
